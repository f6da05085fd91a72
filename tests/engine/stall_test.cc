// What is a stall, what is none, and what its report says.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;

TEST_CASE("a stall's report names each stage, what it holds, what it waits for and since when") {
  Script script;
  script.size = 1000;
  std::atomic<bool> let_go{false};
  script.on_process = [&](Sample& sample, Context&) {
    while (sample.id.index == 9 && !let_go) std::this_thread::sleep_for(milliseconds(1));
  };
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(900));
    let_go = true;
  });
  script.run = TakeBatches(1000);
  const Settings settings{
      .source = "", .run = R"("threads": 2, "stall_timeout": 0.3)", .device = true};
  ScriptedRun run(script, settings);
  const Result result = run.Run();
  later.join();
  CHECK(result.outcome.kind == Outcome::kFailed);
  for (const char* part : {"stall: nothing has moved for 0.3 s while a consumer waits", "compute: ",
                           " of 4 tokens in use", "source: 0 reads under way", "read-ahead 1",
                           "staging: ", "of 3 slots in use", "batch 2 next with 3 of 4 rows",
                           "fill: at position 9 for ", "device: 0 of 2 residents in use",
                           "staging->device.in: 0 of 3 batches wait", "sink.in: waits for "}) {
    CAPTURE(std::string(part));
    CAPTURE(result.outcome.error);
    CHECK(Holds(result.outcome.error, part));
  }
}

TEST_CASE("a stall's report counts the reads that are under way") {
  Script script;
  script.size = 1000;
  script.on_read = [&](uint64_t index, ReadContext& context) {
    while (index == 5 && !context.stopping()) std::this_thread::sleep_for(milliseconds(5));
  };
  script.run = TakeBatches(1000);
  ScriptedRun run(script, {.source = "", .run = R"("threads": 2, "stall_timeout": 0.4)"});
  const Result result = run.Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(Holds(result.outcome.error, "source: 1 reads under way"));
}

TEST_CASE("a consumer that holds every slot and waits for more is told so") {
  Script script;
  script.run = [](RunContext& context) {
    std::vector<Batch> kept;
    while (kept.size() < 4) kept.push_back(context.Pull("in"));
  };
  const Result result = ScriptedRun(script, {.run = R"("threads": 1, "stall_timeout": 0.3)"}).Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(Holds(result.outcome.error, "3 of 3 slots in use"));
  CHECK(Holds(result.outcome.error, "sink.in: waits for "));
}

TEST_CASE("a batch transform that takes its time is no stall") {
  Script script;
  script.on_batch = [](const Batch& in, BatchContext& context) {
    std::this_thread::sleep_for(milliseconds(700));
    return context.Derive(in, in.content().tensors, nullptr);
  };
  script.run = TakeBatches(2);
  const Settings settings{.run = R"("threads": 1, "stall_timeout": 0.2)", .device = true};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
}

TEST_CASE("reads that back off are no stall, however often") {
  Script script;
  std::atomic<int> faults{0};
  script.on_read = [&](uint64_t index, ReadContext&) {
    if (index == 6 && faults++ < 3) throw Transient("the server is away");  // 0.1, 0.2, 0.4 s
  };
  script.run = TakeBatches(4);
  const Settings settings{.source = R"("io_threads": 1)",
                          .run = R"("threads": 1, "stall_timeout": 0.2)"};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  CHECK(faults >= 4);
}

TEST_CASE("an observer that waits for ever is no stall") {
  Script script;
  script.on_read2 = [](uint64_t, ReadContext& context) {
    while (!context.stopping()) std::this_thread::sleep_for(milliseconds(1));
  };
  script.run_observer = [](RunContext& context) {
    while (context.Pull("in")) {
    }
  };
  script.run = [](RunContext& context) {
    const Batch batch = context.Pull("in");
    std::this_thread::sleep_for(milliseconds(700));
    context.Commit(batch, "in");
  };
  const Settings settings{.run = R"("threads": 1, "stall_timeout": 0.2)", .observer_alone = true};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
}

TEST_CASE("a consumer that works on what another one waits for is no stall") {
  Script script;
  script.run = [](RunContext& context) {  // holds every slot, and takes its time
    for (int round = 0; round < 2; ++round) {
      std::vector<Batch> held;
      while (held.size() < 3) held.push_back(context.Pull("in"));
      std::this_thread::sleep_for(milliseconds(700));
      for (const Batch& batch : held) context.Commit(batch, "in");
    }
  };
  script.run_second = TakeBatches(6);
  const Settings settings{.run = R"("threads": 1, "stall_timeout": 0.2)", .second_reader = true};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
}
