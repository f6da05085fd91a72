// Races on purpose, in stages that oneTBB runs: ThreadSanitizer must report each in spite of the
// suppressions. Each case is a program run of its own that is expected to be reported.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;

TEST_CASE("workers count in one plain number") {
  Script script;
  script.size = 200;
  int processed = 0;
  // Long enough for two to overlap: one after the other is in order, through the gate's lock.
  script.on_process = [&](Sample&, Context&) {
    ++processed;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    ++processed;
  };
  script.run = TakeBatches(50);
  ScriptedRun(script, {.run = R"("threads": 4)"}).Run();
  CHECK(processed > 0);
}

TEST_CASE("a consumer writes into a batch that it has let go of") {
  Script script;
  script.size = 200;
  script.run = [](RunContext& context) {
    for (int i = 0; i < 100; ++i) {
      Batch batch = context.Pull("in");
      auto* row = const_cast<uint8_t*>(static_cast<const uint8_t*>(batch.content().tensors[0].data));
      context.Commit(batch, "in");
      batch = {};
      for (int n = 0; n < 100; ++n) row[n % 16] = 1;
    }
  };
  ScriptedRun(script, {.staging = R"("batch": 4, "slots": 1)", .run = R"("threads": 4)"}).Run();
}
