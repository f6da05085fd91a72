// The learning rate by step: linear warm-up, then a half cosine down to a floor. A pure function of
// the step, so that a resumed run needs no state of it. Free of LibTorch.
#pragma once

#include <cstdint>

namespace flowtrain::model {

struct WarmupCosine {
  double lr = 2.5e-4;      // at the end of the warm-up; >= min_lr
  double min_lr = 1e-5;    // at the last step and after it
  int64_t first_step = 0;  // where the course begins; what follows counts from there
  int64_t warmup_steps = 0;
  int64_t total_steps = 1;
};

// step counts from 0, and the formulas' from first_step on. Warm-up: lr (step + 1) / warmup_steps, so that no step is lost at rate 0. Then
// min_lr + (lr - min_lr) (1 + cos(pi t)) / 2, t from 0 at step warmup_steps to 1 at total_steps - 1.
double LearningRate(const WarmupCosine& schedule, int64_t step);

}  // namespace flowtrain::model
