// The engine's RunHost over a run folder, the terminal and the log: where a run's words and numbers go.
// The run command owns one; any thread calls it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "pipeline/graph/run_host.h"
#include "pipeline/metrics/nvml.h"
#include "pipeline/run/checkpoint.h"
#include "pipeline/run/log.h"
#include "pipeline/run/progress.h"
#include "pipeline/run/run_folder.h"
#include "pipeline/run/summary.h"
#include "pipeline/run/terminal.h"

namespace flowtrain::cli {

class FolderHost final : public graph::RunHost {
 public:
  FolderHost();

  // Before the run begins; until then records and checkpoints are refused.
  void UseFolder(std::unique_ptr<run::RunFolder> folder, int keep);
  // Takes back what was recorded after `checkpoint` was written: it comes again.
  void GoOnFrom(const run::LoadedCheckpoint& checkpoint);
  void UseGpus(const metrics::GpuSampler* gpus) { gpus_ = gpus; }

  void Info(const std::string& message) override { log_.Info(message); }
  void Warn(const std::string& message) override { log_.Warn(message); }
  void Error(const std::string& message) { log_.Error(message); }
  void Record(const Value& fields) override;
  void BadSample(const graph::BadSampleInfo& bad) override;
  void Progress(const ProgressReport& report, uint64_t images, double waited_s) override;
  void Opening(const std::string& what, uint64_t done, uint64_t total) override;
  void PhaseBegins(const PhaseInfo& phase, const std::string& settings) override;
  void Summary(const std::string& stage, const std::string& name, const std::string& value) override;
  void SaveCheckpoint(const std::string& tag, double metric,
                      const std::function<Value(const std::filesystem::path&)>& writer) override;
  std::filesystem::path run_dir() const override;
  std::filesystem::path cache_dir() const override;

  void FinishProgress() { progress_.Finish(); }
  run::Terminal& terminal() { return terminal_; }
  // What stages had to say at the end; each with its name where two have the same to say.
  run::SummaryLines summary() const;
  // The newest checkpoint that was written; empty: none.
  std::filesystem::path last_checkpoint() const;
  // Why the last one that was tried could not be written; empty: it was.
  std::string checkpoint_fault() const;

 private:
  run::RunFolder& folder() const;  // throws Error before UseFolder

  run::Terminal terminal_;
  run::Log log_;
  run::Progress progress_;
  const metrics::GpuSampler* gpus_ = nullptr;
  std::unique_ptr<run::RunFolder> folder_;
  std::unique_ptr<run::CheckpointStore> checkpoints_;
  mutable std::mutex mutex_;  // protects what follows
  struct SummaryLine {
    std::string stage, name, value;
  };
  std::vector<SummaryLine> summary_;
  std::filesystem::path last_checkpoint_;
  std::string checkpoint_fault_;
};

}  // namespace flowtrain::cli
