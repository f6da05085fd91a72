// The main thread hears of an end at once, not at its next look around.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using Clock = std::chrono::steady_clock;

TEST_CASE("no end of a run waits for the main thread's next look around") {
  constexpr int kRuns = 200;
  std::vector<double> latencies;
  for (int i = 0; i < kRuns; ++i) {
    Script script;
    Clock::time_point returned;
    script.run = [&](RunContext&) { returned = Clock::now(); };
    ScriptedRun run(script, {});
    run.Run();
    latencies.push_back(Since(returned));
  }
  std::sort(latencies.begin(), latencies.end());
  const double median = latencies[kRuns / 2], late = latencies[kRuns * 95 / 100];
  MESSAGE("from the consumer's return to the run's: median ", median * 1e3, " ms, 95% within ", late * 1e3, " ms");
  CHECK(median < 0.02 * kPatience);
  CHECK(late < 0.08 * kPatience);  // a lost wake costs 100 ms
}
