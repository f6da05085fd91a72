// kinds.mean: the mean over all pixels of some epochs. A run ends when its consumers return.
#pragma once

#include <flowtrain/stage.h>

namespace kinds {

class Mean final : public flowtrain::Consumer {
 public:
  struct Params {
    int epochs = 1;
  };
  static void Declare(flowtrain::Declaration<Params>& d);
  explicit Mean(const Params& params) : params_(params) {}

  void Run(flowtrain::RunContext& context) override;
  void Save(flowtrain::State& state) const override;
  void Load(const flowtrain::State& state) override;

 private:
  void Add(const flowtrain::Batch& batch);

  const Params params_;
  uint64_t batches_ = 0;  // taken in, from the first epoch on
  double sum_ = 0, count_ = 0;
};

}  // namespace kinds
