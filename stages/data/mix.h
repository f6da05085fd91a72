// `data.mix`: draws from the sources that lead into it, by their weights. Read only looks up whose
// sample it is and lets that source read it, on any I/O thread.
#pragma once

#include <flowtrain/stage.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stages/data/mix_order.h"

namespace flowtrain::data {

class Mix final : public Source {
 public:
  struct Params {
    std::map<std::string, double> weights;
    uint64_t epoch_samples = 0;
  };
  static void Declare(Declaration<Params>& d);

  explicit Mix(const Params& params) : params_(params) {}
  void Open(OpenContext& context) override;
  uint64_t Size() const override { return order_->size(); }
  uint64_t Fingerprint() const override;
  void Read(uint64_t index, Sample& sample, ReadContext& context) const override;

 private:
  const Params params_;
  std::vector<NamedSource> sources_;
  std::optional<MixOrder> order_;  // from Open on
};

}  // namespace flowtrain::data
