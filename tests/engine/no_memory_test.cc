// Memory that runs out, and whatever else throws where no stage is at work: the run ends by an error.
#include <doctest/doctest.h>

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <new>

#include "engine/harness.h"
#include "engine/refused_memory.h"
#include "pipeline/graph/fence_reaper.h"
#include "pipeline/graph/flow.h"
#include "support/patience.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr uint64_t kMany = 1 << 20;  // samples: their order takes 4 MiB
constexpr size_t kAnOrder = 2 << 20;

bool CanRefuse() {
  if (!RefusedMemory::Possible()) MESSAGE("skipped: a sanitizer has its own memory");
  return RefusedMemory::Possible();
}

}  // namespace

TEST_CASE("a run ends by an error where an I/O thread has no memory for the epoch's order") {
  if (!CanRefuse()) return;
  Script script;
  script.size = kMany;
  script.run = TakeBatches(10);
  ScriptedRun run(script, {});
  const RefusedMemory refused(kAnOrder);
  const Result result = run.Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(result.outcome.error == "source: std::bad_alloc");
  CHECK(result.seconds < 1 * kPatience);
}

TEST_CASE("an order that could not be drawn is drawn by whoever comes next, and no position is lost") {
  if (!CanRefuse()) return;
  graph::Gate gate({{graph::Sampler({.size = kMany, .batch = 4, .shuffle = true}), 4, 1 << 20, 3, 0}}, 2);
  {
    const RefusedMemory refused(kAnOrder);
    CHECK_THROWS_AS(gate.NextRead(0), std::bad_alloc);
  }
  CHECK(gate.NextRead(0)->address.count == 0);
  {
    const RefusedMemory refused(kAnOrder);
    CHECK_THROWS_AS(gate.NextRead(0), std::bad_alloc);
  }
  CHECK(gate.sampler(0).OrderToDraw(1) == 1);
  CHECK(gate.NextRead(0)->address.count == 1);
  CHECK(gate.sampler(0).OrderToDraw(1) == std::nullopt);
}

TEST_CASE("what is thrown on the way from one sample to the next, outside of any stage, ends the run") {
  graph::Gate gate({{graph::Sampler({.size = 20, .batch = 4}), 8, 1 << 20, 3, 0}}, 2);
  std::vector<std::unique_ptr<graph::ChainStages>> chains;
  chains.push_back(std::make_unique<graph::ChainStages>());
  graph::Flow flow(gate, chains, 2, [](graph::Work&) -> std::optional<graph::Unit> { throw std::bad_alloc(); });
  gate.SetHooks({[&] { flow.Reserve(); }, [&](int chain) { flow.Put(chain); }, [](int) { return 0; }});
  flow.Start();
  graph::Unit unit;
  unit.address = gate.NextRead(0)->address;
  unit.sample = std::make_unique<Sample>();
  const auto now = graph::Gate::Clock::now();
  gate.DeliverAndNext(std::move(unit), now, now);
  for (int i = 0; i < 2000 && !gate.stopped(); ++i) std::this_thread::sleep_for(milliseconds(1));
  REQUIRE(gate.stopped());
  REQUIRE(gate.cause());
  CHECK_THROWS_WITH_AS(std::rethrow_exception(gate.cause()), "the compute workers: std::bad_alloc", Error);
  CHECK(flow.End(seconds(5)));
}

TEST_CASE("a graph that oneTBB gives up, as it does where a task can't be made, ends the run") {
  Script script;
  std::atomic<bool> cancelled{false};
  script.on_process = [&](Sample&, Context&) {
    if (script.processed >= 10 && !cancelled.exchange(true)) oneapi::tbb::task::current_context()->cancel_group_execution();
  };
  script.run = TakeBatches(1000);
  const Result result = ScriptedRun(script, {}).Run();
  CHECK(result.outcome.kind == Outcome::kFailed);
  CHECK(Holds(result.outcome.error, "the compute workers: "));
  CHECK(result.outcome.abandoned == "");
  CHECK(result.seconds < 1 * kPatience);
}

TEST_CASE("a batch that is let go of waits for its fences itself where there is no memory to remember them") {
  if (!CanRefuse()) return;
  constexpr size_t kBlockOfDeque = 256;
  std::vector<std::shared_ptr<ManualFence>> fences(40);
  for (auto& fence : fences) fence = std::make_shared<ManualFence>();
  std::atomic<int> freed{0};
  std::atomic<bool> failed{false};
  graph::FenceReaper reaper([&](std::exception_ptr) { failed = true; });
  std::thread device([&] {
    std::this_thread::sleep_for(milliseconds(20));
    for (auto& fence : fences) fence->Pass();
  });
  {
    const RefusedMemory refused(kBlockOfDeque);
    for (auto& fence : fences) reaper.After({fence}, [&freed] { ++freed; });
  }
  CHECK(reaper.Drain(seconds(5)));
  device.join();
  CHECK(freed == 40);
  CHECK(!failed);
}
