// Several readers of one batch edge: each gets every batch; one that has left, or that only
// watches, holds nobody up.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr char kImpatient[] = R"("threads": 2, "stall_timeout": 2)";

std::function<void(RunContext&)> Collect(uint64_t batches, std::vector<uint64_t>& hashes) {
  return TakeBatches(batches, [&](const Batch& batch) { hashes.push_back(batch.content().hash); });
}

// An observer that looks at each batch it gets until the run ends.
std::function<void(RunContext&)> StareAtOne(std::atomic<int>& seen) {
  return [&seen](RunContext& context) {
    while (const Batch batch = context.Pull("in")) {
      ++seen;
      while (!context.stopping()) std::this_thread::sleep_for(milliseconds(1));
    }
  };
}

}  // namespace

TEST_CASE("several consumers of one batch edge each get every batch, in order") {
  for (const bool device : {false, true}) {
    CAPTURE(device);
    Script script;
    std::vector<uint64_t> first, second;
    script.run = Collect(30, first);
    script.run_second = Collect(30, second);
    ScriptedRun run(script, {.run = kImpatient, .device = device, .second_reader = true});
    const Result result = run.Run();
    CHECK(result.outcome.error == "");
    REQUIRE(first.size() == 30);
    CHECK(first == second);
    CHECK(result.hashes.size() == 60);  // committed by each
  }
}

TEST_CASE("a consumer that returns early leaves its batches, and the others go on") {
  for (const bool device : {false, true}) {
    CAPTURE(device);
    Script script;
    script.run = TakeBatches(40);
    script.run_second = TakeBatches(3);
    ScriptedRun run(script, {.run = kImpatient, .device = device, .second_reader = true});
    const Result result = run.Run();
    CHECK(result.outcome.error == "");
    CHECK(result.hashes.size() == 43);
  }
}

TEST_CASE("a chain whose readers have all returned rests while another chain is pulled from") {
  Script script;
  std::atomic<uint64_t> reads_of_second{0};
  script.on_read = [](uint64_t, ReadContext&) {};
  script.on_read2 = [&](uint64_t, ReadContext&) { ++reads_of_second; };
  std::atomic<bool> left{false};
  script.run_observer = [&](RunContext& context) {  // the only reader of the second chain
    for (int i = 0; i < 3; ++i) context.Pull("in");
    left = true;
  };
  uint64_t reads = 0;
  script.run = [&](RunContext& context) {
    while (!left) std::this_thread::sleep_for(milliseconds(1));
    for (int i = 0; i < 300; ++i) context.Commit(context.Pull("in"), "in");
    std::this_thread::sleep_for(milliseconds(50));
    reads = reads_of_second;
  };
  const Settings settings{.run = kImpatient, .observer_alone = true};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  // Read-ahead, tokens, slots, what was taken, and the slots that were given back when it left.
  CHECK(reads <= 16 + 2 * 2 + 3 * 4 + 3 * 4 + 3 * 4);
}

TEST_CASE("an observer that looks at one batch for the whole run never holds training up") {
  for (const bool device : {false, true}) {
    CAPTURE(device);
    Script script;
    std::atomic<int> seen{0};
    script.run_observer = StareAtOne(seen);
    script.run = TakeBatches(100, [&](const Batch&) {
      for (int i = 0; i < 1000 && seen == 0; ++i) std::this_thread::sleep_for(milliseconds(1));
    });
    const Result result = ScriptedRun(script, {.staging = R"("batch": 4, "slots": 2)",
                                               .run = kImpatient,
                                               .device = device,
                                               .observer = true})
                              .Run();
    CHECK(result.outcome.error == "");
    CHECK(result.hashes.size() == 100);
    CHECK(seen == 1);
  }
}

TEST_CASE("a batch transform that works for an observer only never holds training up") {
  Script script;
  std::atomic<int> seen{0};
  script.run_observer = StareAtOne(seen);
  script.run = TakeBatches(100, [&](const Batch&) {
    for (int i = 0; i < 1000 && seen == 0; ++i) std::this_thread::sleep_for(milliseconds(1));
  });
  const Settings settings{.run = kImpatient, .watched_device = true};
  const Result result = ScriptedRun(script, settings).Run();
  CHECK(result.outcome.error == "");
  CHECK(result.hashes.size() == 100);
}

TEST_CASE("an observer that is quick sees batches in order, and one that has returned holds none") {
  Script script;
  std::vector<uint64_t> seen;
  script.run_observer = [&](RunContext& context) {
    for (int i = 0; i < 5; ++i) {
      const Batch batch = context.Pull("in");
      if (!batch) return;
      seen.push_back(batch.epoch() * 5 + batch.index());
    }
  };
  script.run = TakeBatches(60, [](const Batch&) { std::this_thread::sleep_for(milliseconds(1)); });
  const Result result =
      ScriptedRun(script,
                  {.staging = R"("batch": 4, "slots": 2)", .run = kImpatient, .observer = true})
          .Run();
  CHECK(result.outcome.error == "");
  CHECK(result.hashes.size() == 60);
  CHECK(seen.size() == 5);
  CHECK(std::is_sorted(seen.begin(), seen.end()));
}

TEST_CASE("a chain that only an observer watches rests while it looks") {
  Script script;
  std::atomic<uint64_t> reads_of_second{0};
  script.on_read = [](uint64_t, ReadContext&) {};
  script.on_read2 = [&](uint64_t, ReadContext&) { ++reads_of_second; };
  std::atomic<int> seen{0};
  script.run_observer = StareAtOne(seen);
  uint64_t reads = 0;
  script.run = TakeBatches(300, [&](const Batch&) { reads = reads_of_second; });
  const Settings settings{.run = kImpatient, .observer_alone = true};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  CHECK(reads <= 16 + 2 * 2 + 3 * 4);
}

TEST_CASE("as many observers as there are slots, or more, never hold training up") {
  for (const int slots : {1, 2, 3}) {
    for (const bool device : {false, true}) {
      CAPTURE(slots);
      CAPTURE(device);
      Script script;
      std::atomic<int> seen{0};
      script.run_observer = StareAtOne(seen);
      script.run = TakeBatches(60, [](const Batch& batch) {
        if (batch.epoch() == 0) std::this_thread::sleep_for(milliseconds(10));
      });
      ScriptedRun run(script, {.staging = R"("batch": 4, "slots": )" + std::to_string(slots),
                               .run = kImpatient,
                               .device = device,
                               .observer = true,
                               .second_observer = true});
      const Result result = run.Run();
      CHECK(result.outcome.error == "");
      CHECK(result.hashes.size() == 60);
      const bool blind = slots == 1 && !device;
      CHECK(seen == (blind ? 0 : 2));
      CHECK(run.host.warnings.size() == (blind ? 2 : 0));
    }
  }
}
