#include <torch/torch.h>

#include "model/doctest_torch.h"
#include "model/optim/schedule.h"

namespace flowtrain::model {
namespace {

constexpr WarmupCosine kSchedule = {.lr = 4e-4, .min_lr = 1e-5, .warmup_steps = 10, .total_steps = 111};

TEST_CASE("the rate warms up from its first share to lr and ends at min_lr") {
  CHECK(LearningRate(kSchedule, 0) == doctest::Approx(4e-5));
  CHECK(LearningRate(kSchedule, 9) == doctest::Approx(4e-4));
  CHECK(LearningRate(kSchedule, 10) == doctest::Approx(4e-4));
  CHECK(LearningRate(kSchedule, 60) == doctest::Approx((4e-4 + 1e-5) / 2));  // half way down
  CHECK(LearningRate(kSchedule, 110) == 1e-5);
  CHECK(LearningRate(kSchedule, 1000) == 1e-5);
}

TEST_CASE("the rate rises through the warm-up and never rises after it") {
  for (int64_t step = 1; step < 111; ++step) {
    CAPTURE(step);
    const double before = LearningRate(kSchedule, step - 1), now = LearningRate(kSchedule, step);
    if (step < 10) {
      CHECK(now > before);
    } else if (step > 10) {
      CHECK(now < before);
    }
    CHECK(now <= 4e-4 * (1 + 1e-12));
  }
}

TEST_CASE("schedules without a warm-up, of one step and of nothing but warm-up are defined") {
  CHECK(LearningRate({.lr = 1, .min_lr = 0, .warmup_steps = 0, .total_steps = 3}, 0) == 1);
  CHECK(LearningRate({.lr = 1, .min_lr = 0, .warmup_steps = 0, .total_steps = 3}, 1) == doctest::Approx(0.5));
  CHECK(LearningRate({.lr = 1, .min_lr = 0.25, .warmup_steps = 0, .total_steps = 1}, 0) == 0.25);
  CHECK(LearningRate({.lr = 1, .min_lr = 0, .warmup_steps = 4, .total_steps = 4}, 3) == 1);
}

}  // namespace
}  // namespace flowtrain::model
