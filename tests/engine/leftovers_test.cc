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
  long warm = 0, end = 0, warm_allocated = 0, end_allocated = 0;
  uint64_t taken = 0;
  constexpr uint64_t kBatches = 625 + 6250;
  script.run = TakeBatches(kBatches, [&](const Batch&) {
    ++taken;
    if (taken == 625) warm = ResidentKiB(), warm_allocated = AllocatedKiB();  // 20,000 samples
    if (taken == kBatches) end = ResidentKiB(), end_allocated = AllocatedKiB();
  });
  const Settings settings{.staging = R"("batch": 32, "slots": 3)", .device = true};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  CHECK(script.processed >= 220'000);
  MESSAGE("resident: ", warm, " KiB after 20,000 samples, ", end,
          " KiB after 220,000; allocated: ", warm_allocated, " and ", end_allocated, " KiB");
  CHECK(end - warm < 3000);                     // arenas of malloc's come with chance
  CHECK(end_allocated - warm_allocated < 200);  // one byte a sample would show
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
  const long resident = ResidentKiB(), allocated = AllocatedKiB();
  for (int i = 200; i < 1200; ++i) StartOne(i);
  MESSAGE("threads ", threads, " -> ", Threads(), ", descriptors ", descriptors, " -> ",
          Descriptors(), ", allocated ", allocated, " -> ", AllocatedKiB(), " KiB, resident ",
          resident, " -> ", ResidentKiB(), " KiB");
  CHECK(EngineThreads() == engine);
  CHECK(Threads() <= threads + 2);  // oneTBB keeps some workers
  CHECK(Descriptors() == descriptors);
  CHECK(AllocatedKiB() - allocated < 500);   // half a KiB a run would show
  CHECK(ResidentKiB() - resident < 20'000);  // arenas of malloc's come with chance
}
