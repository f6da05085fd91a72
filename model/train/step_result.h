// One training step's numbers, still on the device: nobody has waited for them. A value, held by the
// trainer's thread until it asks for a summary.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "model/loss/camoxpert_loss.h"
#include "model/train/summary.h"

namespace flowtrain::model {

struct StepResult {
  int64_t step = 0;  // counts from 1
  double lr = 0;
  LossParts loss;    // detached
  at::Tensor gradient_norm;
  std::vector<at::Tensor> usage;  // per mixture-of-experts layer: [experts]
  at::Tensor first_bad_step;      // int64 scalar: the first step with a loss or norm not finite, else 0
};

// One copy to the host, for which it waits. Throws std::runtime_error that names the first step whose
// loss or gradient norm was not finite, be it this one or one before it.
StepSummary Summarise(const StepResult& result);

}  // namespace flowtrain::model
