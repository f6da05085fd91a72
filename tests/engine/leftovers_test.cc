// What a long run, or a thousand short ones, leave: nothing.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "engine/process_view.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;

TEST_CASE("resident memory is flat over 200,000 samples") {
  Script script;
  script.size = 5000;
  long warm = 0;
  uint64_t taken = 0;
  script.run = TakeBatches(6250 + 625, [&](const Batch&) {
    if (++taken == 625) warm = ResidentKiB();  // 20,000 samples
  });
  const Settings settings{.staging = R"("batch": 32, "slots": 3)", .device = true};
  const Result result = ScriptedRun(script, settings).Run();
  const long end = ResidentKiB();
  CHECK(result.outcome.error == "");
  CHECK(script.processed >= 220'000);
  MESSAGE("resident: ", warm, " KiB after 20,000 samples, ", end, " KiB after 220,000");
  // What grew by ten bytes a sample would show as 2 MB. The set of hash lines, read back after the
  // run, takes about 700 KiB; the allocator rounds.
  CHECK(end - warm < 1900);
}

namespace {

// Run `i` of many: ends in order, by an error somewhere, by an interrupt, or in its start.
void StartOne(int i) {
  Script script;
  script.run = TakeBatches(static_cast<uint64_t>(i % 7));
  Settings settings;
  settings.device = i % 2 == 0;
  settings.second_chain = i % 5 == 0;
  settings.observer = i % 3 == 0;
  switch (i % 8) {
    case 1:
      script.on_process = [](Sample&, Context&) { throw Error("no"); };
      break;
    case 2:
      script.on_read = [](uint64_t, ReadContext&) { throw 5; };
      break;
    case 3:
      script.run = [](RunContext&) { throw Error("no"); };
      break;
    case 4:
      script.on_open = [](OpenContext& context) { context.Refuse("size", "no"); };
      break;
    case 5:
      script.on_batch = [](const Batch&, BatchContext&) -> Batch { throw Error("no"); };
      break;
    default:
      break;
  }
  ScriptedRun run(script, settings);
  if (i % 8 == 6)
    script.run = [&](RunContext& context) {
      run.executor().Stop();
      while (context.Pull("in")) {
      }
    };
  try {
    run.Run();
  } catch (const graph::OpenRefused&) {
  }
}

}  // namespace

TEST_CASE(
    "1,000 starts and aborted runs in one process leave threads, descriptors and memory as they "
    "were") {
  for (int i = 0; i < 200; ++i) StartOne(i);
  const auto engine = EngineThreads();
  const auto threads = Threads(), descriptors = Descriptors();
  const long resident = ResidentKiB();
  for (int i = 200; i < 1200; ++i) StartOne(i);
  MESSAGE("threads ", threads, " -> ", Threads(), ", descriptors ", descriptors, " -> ",
          Descriptors(), ", resident ", resident, " -> ", ResidentKiB(), " KiB");
  CHECK(EngineThreads() == engine);
  CHECK(Threads() <= threads + 2);  // oneTBB keeps some workers
  CHECK(Descriptors() == descriptors);
  CHECK(ResidentKiB() - resident < 3000);  // 3 KB a run would show
}
