// How runs end: errors, interrupts, stalls, bad samples.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "support/patience.h"

namespace flowtrain::testing {
namespace {

using graph::Outcome;
using std::chrono::milliseconds;

TEST_CASE("the first error ends the run within a second, with stage, cause and sample") {
  for (const bool in_read : {true, false}) {
    CAPTURE(in_read);
    Script script;
    const auto fail = [](uint64_t index) {
      if (index == 13) throw Error("the disk caught fire");
    };
    if (in_read) script.on_read = [&](uint64_t index, ReadContext&) { fail(index); };
    else script.on_process = [&](Sample& sample, Context&) { fail(sample.id.index); };
    script.run = TakeBatches(1000);
    ScriptedRun run(script, {});
    const Result result = run.Run();
    CHECK(result.outcome.kind == Outcome::kFailed);
    CHECK(result.seconds < 1 * kPatience);
    CHECK(result.outcome.error == std::string(in_read ? "source" : "fill") + ": the disk caught fire, sample 13 (sample-13)");
    CHECK(result.outcome.abandoned.empty());
  }
}

TEST_CASE("an exception that is no std::exception, anywhere, ends the run") {
  for (const int where : {0, 1, 2, 3}) {
    CAPTURE(where);
    Script script;
    script.run = TakeBatches(1000);
    if (where == 0) script.on_read = [](uint64_t, ReadContext&) { throw 5; };
    if (where == 1) script.on_process = [](Sample&, Context&) { throw "text"; };
    if (where == 2) script.on_batch = [](const Batch&, BatchContext&) -> Batch { throw 5.0; };
    if (where == 3) script.run = [](RunContext&) { throw std::string("x"); };
    ScriptedRun run(script, {.device = true});
    const Result result = run.Run();
    CHECK(result.outcome.kind == Outcome::kFailed);
    CHECK(Holds(result.outcome.error, "an exception that is no std::exception"));
  }
}

TEST_CASE("an interrupt ends the run from every state, with a checkpoint where something was committed") {
  for (const int state : {0, 1, 2}) {
    CAPTURE(state);
    Script script;
    std::atomic<bool> release{false};
    if (state == 1) {  // the consumer waits for a read that takes its time
      script.on_read = [&](uint64_t, ReadContext& context) {
        while (script.reads > 12 && !context.stopping()) std::this_thread::sleep_for(milliseconds(5));
      };
    }
    script.run = state == 2 ? std::function<void(RunContext&)>([](RunContext& context) {  // slots exhausted
      const Batch first = context.Pull("in"), second = context.Pull("in"), third = context.Pull("in");
      context.Commit(first, "in");
      while (!context.stopping()) std::this_thread::sleep_for(milliseconds(5));
    }) : TakeBatches(1u << 30);
    ScriptedRun run(script, {});
    std::thread stopper([&] {
      std::this_thread::sleep_for(150 * kPatience * milliseconds(1));  // a batch was committed by then
      run.executor().Stop();
    });
    const Result result = run.Run();
    stopper.join();
    CHECK(result.outcome.kind == Outcome::kInterrupted);
    CHECK(result.outcome.abandoned.empty());
    CHECK(result.seconds < 1.2 * kPatience);
    REQUIRE(run.host.checkpoints.size() == 1);
    CHECK(run.host.checkpoints[0].first == "interrupted");
  }
}

TEST_CASE("an interrupt before anything was committed writes no checkpoint") {
  Script script;
  script.run = [](RunContext& context) { context.Pull("in"); while (!context.stopping()) std::this_thread::sleep_for(milliseconds(5)); };
  ScriptedRun run(script, {});
  std::thread stopper([&] { std::this_thread::sleep_for(milliseconds(50)); run.executor().Stop(); });
  CHECK(run.Run().outcome.kind == Outcome::kInterrupted);
  stopper.join();
  CHECK(run.host.checkpoints.empty());
}

TEST_CASE("a body that never returns is named, and the run ends after its grace") {
  static std::atomic<bool> stuck{true}, inside{false};
  static Script script;  // its threads are left behind
  script.size = 20;
  script.on_process = [](Sample& sample, Context&) {
    while (sample.id.index == 9 && stuck) {
      inside = true;
      std::this_thread::sleep_for(milliseconds(5));
    }
  };
  script.run = TakeBatches(1000);
  static auto run = std::make_unique<ScriptedRun>(script, Settings{}, graph::ExecutorOptions{.grace = milliseconds(200)});
  std::thread stopper([] {
    while (!inside) std::this_thread::sleep_for(milliseconds(5));
    run->executor().Stop();
  });
  const Result result = run->Run();
  stopper.join();
  CHECK(result.outcome.kind == Outcome::kInterrupted);
  CHECK(result.outcome.abandoned == "fill");
  CHECK(result.seconds < 1.5 * kPatience);
  stuck = false;  // let it go, and give it time, so that the process can end in order
  std::this_thread::sleep_for(milliseconds(100));
  static ScriptedRun* left_behind = run.release();  // still found by a leak checker
  CHECK(left_behind != nullptr);
}

TEST_CASE("a long step is no stall") {
  Script script;
  script.run = [](RunContext& context) {
    const Batch batch = context.Pull("in");
    std::this_thread::sleep_for(milliseconds(700));
    context.Commit(batch, "in");
  };
  ScriptedRun run(script, {.run = R"("threads": 1, "stall_timeout": 0.2)"});
  CHECK(run.Run().outcome.kind == Outcome::kDone);
}

TEST_CASE("a storage fault is tried again and then ends the run; it is never replaced") {
  Script passing;
  passing.size = 1000;
  std::atomic<int> faults{0};
  passing.on_read = [&](uint64_t index, ReadContext&) {
    if (index == 3 && faults++ < 2) throw Transient("the server is away");
  };
  passing.run = TakeBatches(5);
  ScriptedRun run(passing, {.source = ""});
  CHECK(run.Run().outcome.kind == Outcome::kDone);
  CHECK(faults == 3);
  CHECK(run.host.bad.empty());

  Script lasting;
  lasting.size = 1000;
  lasting.on_read = [](uint64_t index, ReadContext&) {
    if (index == 3) throw Transient("the server is away");
  };
  lasting.run = TakeBatches(5);
  ScriptedRun ending(lasting, {.source = "", .run = R"("threads": 1, "stall_timeout": 0.5)"});  // backing off is no stall
  const Result result = ending.Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(result.outcome.error == "source: the server is away (tried 6 times), sample 3 (sample-3)");
}

TEST_CASE("a bad sample is replaced into the same row, named once and listed, the same for any timing") {
  const auto hashes = [](int threads, bool in_read, std::vector<std::string>* warnings) {
    Script script;
    const auto judge = [](uint64_t index) {
      if (index % 10 == 4) throw BadSample("broken", "sample " + std::to_string(index) + " is broken");
    };
    if (in_read) script.on_read = [=](uint64_t index, ReadContext&) { judge(index); };
    else script.on_process = [=](Sample& sample, Context&) { judge(sample.id.index); };
    script.run = TakeBatches(15, [&](const Batch& batch) {
      CHECK(batch.rows() == 4);
      for (const RowId& id : batch.content().ids) CHECK(id.index % 10 != 4);
    });
    ScriptedRun run(script, {.run = R"("max_bad_share": 1, "threads": )" + std::to_string(threads)});
    const Result result = run.Run();
    CHECK(result.outcome.kind == Outcome::kDone);
    CHECK(result.bad >= 6);
    CHECK(run.host.bad.size() == result.bad);
    if (warnings) *warnings = run.host.warnings;
    return result.hashes;
  };
  std::vector<std::string> warnings;
  const std::set<std::string> expected = hashes(1, false, &warnings);
  CHECK(warnings.size() == 2);  // samples 4 and 14, once each
  CHECK(hashes(4, false, nullptr) == expected);
  CHECK(hashes(2, true, nullptr) == expected);
}

TEST_CASE("a bad sample of an unshuffled source is marked, its row zero") {
  Script script;
  script.on_process = [](Sample& sample, Context&) {
    if (sample.id.index == 6) throw BadSample("broken", "sample 6 is broken");
  };
  script.run = TakeBatches(5, [](const Batch& batch) {
    for (int row = 0; row < batch.rows(); ++row) {
      const RowId& id = batch.content().ids[row];
      CHECK(id.bad == (id.index == 6));
      const auto pixels = batch.tensor("image").as<uint8_t>().subspan(48 * row, 48);
      if (id.bad) CHECK(std::all_of(pixels.begin(), pixels.end(), [](uint8_t p) { return p == 0; }));
    }
  });
  ScriptedRun run(script, {.source = ""});
  CHECK(run.Run().outcome.kind == Outcome::kDone);
}

TEST_CASE("too large a share of bad samples ends the run") {
  Script script;
  script.size = 1000;
  script.on_process = [](Sample& sample, Context&) {
    if (sample.id.index % 2 == 0) throw BadSample("broken", "sample " + std::to_string(sample.id.index) + " is broken");
  };
  script.run = TakeBatches(1000);
  ScriptedRun run(script, {});
  const Result result = run.Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(Holds(result.outcome.error, "max_bad_share"));
}

TEST_CASE("a checkpoint that can't be written is a warning, and training goes on") {
  Script script;
  script.run = [](RunContext& context) {
    for (int i = 0; i < 4; ++i) {
      const Batch batch = context.Pull("in");
      context.Commit(batch, "in");
      CHECK_FALSE(context.Checkpoint("step", 0));
    }
  };
  ScriptedRun run(script, {});
  run.host.disk_full = true;
  const Result result = run.Run();
  CHECK(result.outcome.kind == Outcome::kDone);
  CHECK(result.hashes.size() == 4);
  REQUIRE_FALSE(run.host.warnings.empty());
  CHECK(Holds(run.host.warnings[0], "run/checkpoints/step: No space left"));
}

TEST_CASE("a stage's refusal names the parameter's place in the graph file") {
  Script script;
  script.on_open = [](OpenContext& context) { context.Refuse("size", "too large"); };
  ScriptedRun run(script, {});
  CHECK_THROWS_WITH_AS(run.Run(), "scripted.json: /stages/fill/size: too large", graph::OpenRefused);
}

}  // namespace
}  // namespace flowtrain::testing
