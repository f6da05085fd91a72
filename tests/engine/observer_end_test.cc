// An observer that never returns costs a run its grace, and nothing else.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST_CASE("an observer that never returns is named after the checkpoint was written, however the run ends") {
  struct Case {
    bool stop;
    std::string phases, tag;
    Outcome::Kind kind;
  };
  const std::string two = R"({"name": "a", "epochs": 1}, {"name": "b", "epochs": 1})";
  for (const Case& c : {Case{false, "", "last", Outcome::kDone}, Case{true, "", "interrupted", Outcome::kInterrupted},
                        Case{false, two, "phase-a", Outcome::kFailed}}) {
    CAPTURE(c.tag);
    Script script;
    std::atomic<bool> inside{false}, let_go{false}, left{false}, committed{false};
    script.run_observer = [&](RunContext& context) {
      context.Pull("in");
      inside = true;
      while (!let_go) std::this_thread::sleep_for(milliseconds(1));
      left = true;
    };
    std::atomic<double> saved_after{-1};
    const auto began = Clock::now();
    script.on_save = [&] { saved_after = Since(began); };
    double through = 0;
    script.run = [&](RunContext& context) {
      for (int i = 0; i < 5 || !inside || (c.stop && !context.stopping()); ++i) {
        const Batch batch = context.Pull("in");
        if (!batch) break;
        context.Commit(batch, "in");
        committed = true;
      }
      through = Since(began);
    };
    ScriptedRun run(script, {.run = R"("threads": 2, "stall_timeout": 0.5)", .observer = true, .phases = c.phases},
                    {.grace = milliseconds(500), .interrupt_limit = milliseconds(5000)});
    std::thread stopper([&] {
      while (!inside || !committed) std::this_thread::sleep_for(milliseconds(1));
      if (c.stop) run.executor().Stop();
    });
    const Result result = run.Run();
    stopper.join();
    run.DropExecutor();
    let_go = true;
    while (!left) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(50));  // its thread ends
    CHECK(result.outcome.kind == c.kind);
    CHECK(result.outcome.abandoned == "watch");
    REQUIRE(run.host.checkpoints.size() == 1);
    CHECK(run.host.checkpoints[0].first == c.tag);
    CHECK(saved_after - through < 0.4 * kPatience);
    CHECK(result.seconds < 2 * kPatience);
  }
}
