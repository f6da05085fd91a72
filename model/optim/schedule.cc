#include "model/optim/schedule.h"

#include <cmath>
#include <numbers>

namespace flowtrain::model {

double LearningRate(const WarmupCosine& s, int64_t step) {
  step -= s.first_step;
  if (step < s.warmup_steps) {
    return s.lr * static_cast<double>(step + 1) / static_cast<double>(s.warmup_steps);
  }
  if (step >= s.total_steps - 1) return s.min_lr;
  const double t = static_cast<double>(step - s.warmup_steps) /
                   static_cast<double>(s.total_steps - 1 - s.warmup_steps);
  return s.min_lr + (s.lr - s.min_lr) * 0.5 * (1 + std::cos(std::numbers::pi * t));
}

}  // namespace flowtrain::model
