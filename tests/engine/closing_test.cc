// What a run still owes once its wait is over: every error told, every stage closed, in one grace.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

void UntilStopping(RunContext& context) {
  while (!context.stopping()) std::this_thread::sleep_for(milliseconds(1));
}

bool Warned(const ScriptHost& host, const std::string& part) {
  return std::any_of(host.warnings.begin(), host.warnings.end(),
                     [&](const std::string& warning) { return Holds(warning, part); });
}

}  // namespace

TEST_CASE("an error that comes while a run is being ended is told, and no checkpoint is written") {
  Script script;
  std::atomic<bool> committed{false};
  script.run = [&](RunContext& context) {
    context.Commit(context.Pull("in"), "in");
    committed = true;
    UntilStopping(context);
    throw Error("the GPU has fallen off the bus");
  };
  ScriptedRun run(script, {});
  std::thread stopper([&] {
    while (!committed) std::this_thread::sleep_for(milliseconds(1));
    run.executor().Stop();
  });
  const Result result = run.Run();
  stopper.join();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(result.outcome.error == "sink: the GPU has fallen off the bus");
  CHECK(run.host.checkpoints.empty());
  CHECK(Warned(run.host, "no checkpoint was written"));
}

TEST_CASE("an observer that fails after the last batch was committed fails the run") {
  Script script;
  script.run = TakeBatches(3);
  script.run_observer = [](RunContext& context) {
    UntilStopping(context);
    throw Error("the page can't be written");
  };
  const Result result = ScriptedRun(script, {.observer = true}).Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(result.outcome.error == "watch: the page can't be written");
}

TEST_CASE("a stage that says Cancelled once it is told to stop has not failed") {
  Script script;
  script.run = [](RunContext& context) {
    context.Commit(context.Pull("in"), "in");
  };
  script.run_observer = [](RunContext& context) {
    UntilStopping(context);
    throw Cancelled();
  };
  script.on_batch = [](const Batch& batch, BatchContext& context) -> Batch {
    if (batch.index() == 0) return context.Derive(batch, batch.content().tensors, nullptr);
    while (!context.stopping()) std::this_thread::sleep_for(milliseconds(1));
    throw Cancelled();
  };
  const Result result = ScriptedRun(script, {.device = true, .observer = true}).Run();
  CHECK(result.outcome.error == "");
  CHECK(result.outcome.kind == Outcome::kDone);
}

TEST_CASE("one grace covers all consumers together and all that comes after them") {
  static std::atomic<bool> let_go{false};
  static Script script;  // what is left behind goes on until the test lets it go
  const auto deaf = [](RunContext&) {
    while (!let_go) std::this_thread::sleep_for(milliseconds(1));
  };
  script.run = script.run_second = script.run_observer = deaf;
  static std::atomic<double> failed_at{0};
  script.on_read = [](uint64_t index, ReadContext&) {
    if (index != 9) {
      while (!let_go) std::this_thread::sleep_for(milliseconds(1));
    }
    std::this_thread::sleep_for(milliseconds(100));
    failed_at = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    throw Error("the disk caught fire");
  };
  static ScriptedRun* run = new ScriptedRun(
      script,
      {.source = R"("sampler": {"shuffle": true}, "io_threads": 20)", .second_reader = true, .observer = true},
      {.grace = milliseconds(300)});
  const Result result = run->Run();
  const double seconds = std::chrono::duration<double>(Clock::now().time_since_epoch()).count() - failed_at;
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(result.outcome.abandoned == "second, sink, watch, source");
  MESSAGE("from the error to the end with a grace of 0.3 s: ", seconds, " s");
  CHECK(seconds < 0.55 * kPatience);
  let_go = true;
  std::this_thread::sleep_for(milliseconds(200));
}
