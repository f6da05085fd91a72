// Which steps and epochs one phase of training has. Both count over all phases; epochs from 1, as
// people read them. A plain value.
#pragma once

#include <algorithm>
#include <cstdint>

namespace flowtrain::train {

struct Course {
  int64_t first_step = 0;   // steps made before this phase
  int64_t first_epoch = 0;  // epochs gone through before this phase
  int64_t epochs = 1;       // of this phase
  int64_t steps_per_epoch = 1;
  int64_t max_steps = 0;  // the end in any case; 0: none

  int64_t last_epoch() const { return first_epoch + epochs; }
  int64_t last_step() const {
    const int64_t all = first_step + epochs * steps_per_epoch;
    return max_steps > 0 ? std::min(max_steps, all) : all;
  }
  // After `step` steps.
  int64_t EpochsThrough(int64_t step) const {
    return first_epoch + (step - first_step) / steps_per_epoch;
  }
  // Of the step numbered `step`, from 1.
  int64_t EpochOf(int64_t step) const { return EpochsThrough(step - 1) + 1; }
  int64_t StepInEpoch(int64_t step) const { return (step - 1 - first_step) % steps_per_epoch + 1; }
};

}  // namespace flowtrain::train
