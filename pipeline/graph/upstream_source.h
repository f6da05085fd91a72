// A source that another one draws from: counts and times its reads under its own name, and names it in
// errors. Owned by its chain; Read on I/O threads.
#pragma once

#include <flowtrain/stage.h>

#include <memory>
#include <optional>
#include <string>

#include "pipeline/metrics/run_metrics.h"

namespace flowtrain::graph {

class UpstreamSource final : public Source {
 public:
  UpstreamSource(std::unique_ptr<Source> source, std::string name, metrics::StageSeries series)
      : source_(std::move(source)), name_(std::move(name)), series_(series) {}
  void Open(OpenContext& context) override { source_->Open(context); }
  void Close() noexcept override { source_->Close(); }
  uint64_t Size() const override { return source_->Size(); }
  uint64_t Fingerprint() const override;
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override;

 private:
  const std::unique_ptr<Source> source_;
  const std::string name_;
  const metrics::StageSeries series_;
  mutable std::optional<uint64_t> fingerprint_;  // once asked for; used where the phase is opened
};

}  // namespace flowtrain::graph
