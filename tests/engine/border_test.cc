// Epochs flow into each other: nothing is drained, and nobody waits for the next order.
#include <doctest/doctest.h>
#include <flowtrain/rng.h>

#include <algorithm>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using Clock = std::chrono::steady_clock;

namespace {

struct Waits {
  std::vector<double> border, elsewhere;  // ms, for an epoch's first batch, for all others
  std::vector<double> longest;            // of each epoch
};

// Times a consumer that takes `step` for a batch. The first epochs warm up.
Waits Measure(uint64_t size, int world_size, uint64_t epochs, std::chrono::microseconds step) {
  Script script;
  script.size = size;
  Waits waits;
  script.run = [&](RunContext& context) {
    const uint64_t per_epoch = context.input("in").batches_per_epoch;
    Batch batch;
    for (uint64_t i = 0; i < epochs * per_epoch; ++i) {
      const auto asked = Clock::now();
      batch.Reset();  // gives its slot back, which may wait too
      batch = context.Pull("in");
      const double waited = Since(asked) * 1000;
      if (!batch) return;
      if (batch.epoch() > 0) {
        (batch.index() == 0 ? waits.border : waits.elsewhere).push_back(waited);
        if (batch.index() == 0) waits.longest.push_back(0);
        waits.longest.back() = std::max(waits.longest.back(), waited);
      }
      context.Commit(batch, "in");
      std::this_thread::sleep_for(step);
    }
  };
  Settings settings{.staging = R"("batch": 32, "slots": 4)"};
  settings.source =
      R"("sampler": {"shuffle": true, "world_size": )" + std::to_string(world_size) + "}";
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  return waits;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

TEST_CASE("the consumer's wait at the border of epochs is no larger than elsewhere") {
  const Waits waits = Measure(32 * 20, 1, 40, std::chrono::microseconds(500));
  REQUIRE(waits.border.size() == 39);
  MESSAGE("median wait in Pull: ", Median(waits.border), " ms at the border of ",
          waits.border.size(), " epochs, ", Median(waits.elsewhere), " ms elsewhere");
  CHECK(Median(waits.border) <= 2 * Median(waits.elsewhere) + 0.2);
}

TEST_CASE("the order of the next epoch is drawn before it is needed, while nobody waits for it") {
  // A share of 20 batches of a large source: drawing its order takes as long as several batches.
  constexpr uint64_t kSize = 32 * 20 * 3000;
  std::vector<uint32_t> order(kSize);
  const auto start = Clock::now();
  Permutation(7, 0, order);
  const double drawing = Since(start) * 1000;
  const Waits waits = Measure(kSize, 3000, 8, std::chrono::milliseconds(15));
  REQUIRE(waits.longest.size() == 7);
  MESSAGE("an order takes ", drawing,
          " ms; the longest wait in Pull of an epoch, median of 7: ", Median(waits.longest), " ms");
  CHECK(Median(waits.longest) < drawing / 3);
}
