// kinds.to_float: bytes -> numbers from 0 to 1, in batches of its own. It has memory for a few of them;
// the engine says which is free.
#pragma once

#include <flowtrain/stage.h>

#include <vector>

namespace kinds {

class ToFloat final : public flowtrain::BatchTransform {
 public:
  struct Params {
    int residents = 2;
  };
  static void Declare(flowtrain::Declaration<Params>& d);
  explicit ToFloat(const Params& params) : memory_(static_cast<size_t>(params.residents)) {}

  void Open(flowtrain::OpenContext& context) override;
  flowtrain::Batch Process(const flowtrain::Batch& batch,
                           flowtrain::BatchContext& context) override;

 private:
  std::vector<std::vector<float>> memory_;  // one a resident, made once
};

}  // namespace kinds
