// No run hangs: not for want of room, not for another chain, not by what a stage throws.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;

TEST_CASE("an exception that is no std::exception from Save is a warning, from Load a refusal") {
  Script script;
  script.on_save = [] { throw 5; };
  script.run = [](RunContext& context) {
    context.Commit(context.Pull("in"), "in");
    context.Checkpoint("step", 0);
    context.Commit(context.Pull("in"), "in");
  };
  ScriptedRun run(script, {});
  CHECK(run.Run().outcome.kind == Outcome::kDone);
  REQUIRE(run.host.warnings.size() == 2);  // in mid-run, and of the last one
  CHECK(
      Holds(run.host.warnings[0], "training goes on: sink: an exception that is no std::exception"));
  CHECK(Holds(run.host.warnings[1],
            "no checkpoint was written: sink: an exception that is no std::exception"));

  script.on_save = nullptr;
  ScriptedRun saving(script, {});
  saving.Run();
  const Value state = saving.host.checkpoints.back().second;
  script.on_load = [] { throw "text"; };
  ScriptedRun loading(script, {});
  CHECK_THROWS_WITH_AS(loading.Run(&state), "sink: an exception that is no std::exception", Error);
}

TEST_CASE("one of everything, or nearly: no hang") {
  int runs = 0;
  for (const int threads : {1, 2}) {
    for (const int slots : {1, 2}) {
      for (const int batch : {1, 2}) {
        for (const int io_threads : {1, 2}) {
          for (const bool device : {false, true}) {
            Script script;
            script.run = TakeBatches(45);
            Settings settings{.device = device};
            settings.staging =
                R"("batch": )" + std::to_string(batch) + R"(, "slots": )" + std::to_string(slots);
            settings.source = R"("read_ahead": 1, "io_threads": )" + std::to_string(io_threads);
            settings.run = R"("stall_timeout": 5, "threads": )" + std::to_string(threads);
            const Result result = ScriptedRun(script, settings).Run();
            CHECK(result.outcome.error == "");
            CHECK(result.hashes.size() == 45);
            ++runs;
          }
        }
      }
    }
  }
  CHECK(runs == 32);
}

TEST_CASE("two chains that are pulled from in turns share one worker, whichever lags") {
  for (const bool slow_second : {false, true}) {
    CAPTURE(slow_second);
    Script script;
    const auto slow = [](Sample&, Context&) { std::this_thread::sleep_for(milliseconds(1)); };
    const auto quick = [](Sample&, Context&) {};
    script.on_process = slow_second ? std::function<void(Sample&, Context&)>(quick) : slow;
    script.on_process2 = slow_second ? std::function<void(Sample&, Context&)>(slow) : quick;
    script.run = [](RunContext& context) {
      for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < 10; ++i) context.Commit(context.Pull("in"), "in");
        for (int i = 0; i < 5; ++i) context.Commit(context.Pull("val"), "val");
      }
    };
    const Settings settings{.run = R"("threads": 1, "stall_timeout": 5)", .second_chain = true};
    const Result result = ScriptedRun(script, settings).Run();
    CHECK(result.outcome.error == "");
    CHECK(result.hashes.size() == 90);
  }
}

TEST_CASE(
    "a chain nobody pulls from takes no more than its pools, and costs the other one nothing") {
  const auto seconds = [](bool second_chain) {
    Script script;
    script.on_process = [](Sample&, Context&) { std::this_thread::sleep_for(milliseconds(1)); };
    script.run = TakeBatches(100);
    Settings settings{.run = R"("threads": 1)", .second_chain = second_chain};
    const Result result = ScriptedRun(script, settings).Run();
    CHECK(result.hashes.size() == 100);
    return result.seconds;
  };
  const double alone = seconds(false), beside = seconds(true);
  MESSAGE("100 batches: ", alone, " s alone, ", beside, " s beside a chain nobody pulls from");
  CHECK(beside < 1.5 * alone + 0.2);  // three slots of the other chain: 12 of 412 samples
}
