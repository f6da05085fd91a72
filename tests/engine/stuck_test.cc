// A stage that does not return from Open or Close can't keep the process.
#include <doctest/doctest.h>

#include <future>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Blocks whoever calls Wait until the test lets go, which is after what is tested.
class Latch {
 public:
  void Wait() {
    entered_.set_value();
    opened_.get_future().wait();
    left_.set_value();
  }
  void WaitUntilEntered() { entered_.get_future().wait(); }
  void LetGo() {
    opened_.set_value();
    left_.get_future().wait();
    std::this_thread::sleep_for(milliseconds(20));  // the thread that was left behind ends
  }

 private:
  std::promise<void> entered_, opened_, left_;
};

}  // namespace

TEST_CASE("an interrupt ends a run whose stage does not return from Open, and names it") {
  Script script;
  Latch latch;
  script.on_open = [&](OpenContext&) { latch.Wait(); };
  ScriptedRun run(script, {});
  Clock::time_point stopped;
  std::thread stopper([&] {
    latch.WaitUntilEntered();
    stopped = Clock::now();
    run.executor().Stop();
  });
  std::string stage;
  try {
    run.executor().Open();
  } catch (const graph::OpenAbandoned& abandoned) {
    stage = abandoned.stage();
  }
  stopper.join();
  CHECK(stage == "fill");
  CHECK(SecondsSince(stopped) < 1 * kPatience);
  latch.LetGo();
}

TEST_CASE("an interrupt ends a long Open that looks at its progress, without naming anything") {
  Script script;
  ScriptedRun run(script, {});
  script.on_open = [&](OpenContext& context) {
    run.executor().Stop();
    for (int i = 0; i < 1000; ++i) {
      context.Progress("files", i, 1000);
      std::this_thread::sleep_for(milliseconds(10));
    }
  };
  const auto start = Clock::now();
  CHECK_THROWS_AS(run.executor().Open(), Cancelled);
  CHECK(SecondsSince(start) < 1 * kPatience);
}

TEST_CASE("an error inside Open ends the start within a second, with the stage's name") {
  Script script;
  script.on_open = [](OpenContext&) { throw 7; };
  ScriptedRun run(script, {});
  const auto start = Clock::now();
  CHECK_THROWS_WITH_AS(run.executor().Open(), "fill: an exception that is no std::exception", Error);
  CHECK(SecondsSince(start) < 1 * kPatience);
}

TEST_CASE("a stage that does not return from Close is named after its grace, and the run ends") {
  Script script;
  Latch latch;
  script.on_close = [&] { latch.Wait(); };
  script.run = TakeBatches(2);
  graph::ExecutorOptions options;
  options.grace = milliseconds(200);
  ScriptedRun run(script, {}, options);
  const auto start = Clock::now();
  const Result result = run.Run();
  CHECK(result.outcome.kind == graph::Outcome::kDone);
  CHECK(result.outcome.abandoned == "fill");
  CHECK(SecondsSince(start) < 1 * kPatience);
  latch.LetGo();
}

TEST_CASE("a stage that does not return while a later phase is planned is named, whatever is called") {
  for (const bool made : {true, false}) {
    CAPTURE(made);
    Script script;
    Latch latch;
    script.run = TakeBatches(5);
    int makes = 0;
    if (made) {
      script.on_make = [&] {
        if (++makes == 2) latch.Wait();
      };
    } else {
      script.on_phase = [&](OpenContext&) { latch.Wait(); };
    }
    Settings settings;
    settings.phases = R"({"name": "a", "epochs": 1}, {"name": "b", "epochs": 1})";
    graph::ExecutorOptions options;
    options.grace = milliseconds(200);
    ScriptedRun run(script, settings, options);
    std::thread stopper([&] {
      latch.WaitUntilEntered();
      run.executor().Stop();
    });
    const Result result = run.Run();
    stopper.join();
    CHECK(result.outcome.kind == graph::Outcome::kInterrupted);
    CHECK(result.outcome.abandoned == (made ? "fill" : "sink"));
    latch.LetGo();
  }
}
