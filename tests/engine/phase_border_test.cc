// The border of two phases: all that is at work is waited for, and no phase is left out in silence.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

// Two phases of two epochs of 20 samples. The reads after those of the first phase can't be interrupted
// and return when the test lets them; the phase ends while they are under way.
struct Border {
  Script script;
  std::atomic<bool> let_go{false};
  std::atomic<int> under_way{0};

  Border() {
    script.on_read_of = [this](const Sample::Id& id) {
      if (id.epoch < 2 || let_go) return;
      ++under_way;
      while (!let_go) std::this_thread::sleep_for(milliseconds(1));
    };
    script.run = TakeBatches(10, [this](const Batch& batch) {
      const bool last_of_first = batch.epoch() == 1 && batch.last_in_epoch();
      while (last_of_first && under_way == 0) std::this_thread::sleep_for(milliseconds(1));
    });
  }
  static Settings InPhases() {
    return {.source = "", .run = R"("threads": 2, "stall_timeout": 0.5)",
            .phases = R"({"name": "small", "epochs": 2}, {"name": "large", "epochs": 2})"};
  }
};

}  // namespace

TEST_CASE("a read that is slower than the grace at a phase's end is waited for, and the next phase runs") {
  Border border;
  ScriptedRun run(border.script, Border::InPhases(), {.grace = milliseconds(50)});
  std::thread slow([&] {
    while (border.under_way == 0) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(250));
    border.let_go = true;
  });
  const Result result = run.Run();
  slow.join();
  CHECK(result.outcome.error == "");
  CHECK(result.outcome.kind == Outcome::kDone);
  CHECK(result.outcome.abandoned == "");
  CHECK(result.hashes.size() == 20);
}

TEST_CASE("a read that does not return at a phase's end fails the run by its source's name") {
  static Border border;
  static ScriptedRun* run = new ScriptedRun(border.script, Border::InPhases(), {.grace = milliseconds(50)});
  const Result result = run->Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(result.outcome.error ==
        "after phase \"small\" this has not returned within 0.5 s (stall_timeout), and the next phase can't begin: source");
  CHECK(result.outcome.abandoned == "source");
  border.let_go = true;
  std::this_thread::sleep_for(milliseconds(100));
}

TEST_CASE("an interrupt ends the wait at a phase's end within its grace") {
  static Border border;
  static ScriptedRun* run;
  Settings patient = Border::InPhases();
  patient.run = R"("threads": 2, "stall_timeout": 60)";
  run = new ScriptedRun(border.script, patient, {.grace = milliseconds(200)});
  Clock::time_point stopped;
  std::thread stopper([&] {
    while (border.under_way == 0) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(300));
    stopped = Clock::now();
    run->executor().Stop();
  });
  const Result result = run->Run();
  stopper.join();
  CHECK(Since(stopped) < 0.5 * kPatience);
  CHECK(result.outcome.kind == Outcome::kInterrupted);
  CHECK(result.outcome.abandoned == "source");
  border.let_go = true;
  std::this_thread::sleep_for(milliseconds(100));
}
