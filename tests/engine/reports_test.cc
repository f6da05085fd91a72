// What users of other pipelines have reported, each kind as a test of this one.
#include <doctest/doctest.h>
#include <unistd.h>

#include "engine/harness.h"
#include "engine/process_view.h"
#include "pipeline/graph/batch_queue.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST_CASE("100,000 samples under load: no permit is lost and nothing hangs") {
  Script script;
  script.size = 1000;
  script.on_process = [](Sample& sample, Context&) {
    if (sample.id.index % 97 == 0) std::this_thread::yield();
  };
  std::set<uint64_t> batches;
  script.run = TakeBatches(
      12'500, [&](const Batch& batch) { batches.insert(batch.epoch() * 125 + batch.index()); });
  Settings settings{.run = R"("threads": 4, "stall_timeout": 10)", .device = true};
  settings.staging = R"("batch": 8, "slots": 2)";
  settings.source = R"("sampler": {"shuffle": true}, "io_threads": 8, "read_ahead": 9)";
  const Result result = ScriptedRun(script, settings).Run();
  CHECK(result.outcome.error == "");
  CHECK(batches.size() == 12'500);
  CHECK(script.processed >= 100'000);
  MESSAGE(script.processed.load(), " samples in ", result.seconds, " s");
}

TEST_CASE("an exception in any body returns from the run, every time") {
  for (int i = 0; i < 60; ++i) {
    Script script;
    script.size = 200;
    const uint64_t victim = static_cast<uint64_t>(i * 7 % 60);
    const auto fail = [=](uint64_t index) {
      if (index == victim && i % 2 == 0) throw Error("no");
      if (index == victim) throw i;
    };
    if (i % 3 == 0)
      script.on_read = [=](uint64_t index, ReadContext&) { fail(index); };
    else
      script.on_process = [=](Sample& sample, Context&) { fail(sample.id.index); };
    script.run = TakeBatches(1u << 30);
    const Result result = ScriptedRun(script, {.source = "", .run = R"("threads": 3)"}).Run();
    CHECK(result.outcome.kind == Outcome::kFailed);
    CHECK(Holds(result.outcome.error, "sample " + std::to_string(victim)));
    CHECK(result.seconds < 5);
  }
}

TEST_CASE("a pop that waits returns at once when the queue closes") {
  graph::BatchQueue queue("a->b", 2, false);
  std::atomic<bool> returned{false};
  std::thread popper([&] {
    const Batch batch = queue.Pop();
    returned = true;
    CHECK_FALSE(batch);
  });
  while (!queue.someone_waits()) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(20));
  CHECK_FALSE(returned);
  const auto start = Clock::now();
  queue.Close();
  popper.join();
  CHECK(Since(start) < 0.5);
  CHECK_FALSE(queue.Pop());  // and it stays closed
}

TEST_CASE("no queue grows above its capacity, however slow its reader") {
  Script script;
  script.run = TakeBatches(100, [](const Batch&) { std::this_thread::sleep_for(milliseconds(1)); });
  Settings settings{.staging = R"("batch": 2, "slots": 5)", .device = true};
  const Result result = ScriptedRun(script, settings).Run();
  CHECK(result.peaks.queued >= 1);
  CHECK(result.peaks.queued <= 5);
}

TEST_CASE("workers and I/O threads live through all epochs: none is started anew") {
  Script script;
  std::mutex mutex;
  std::map<uint64_t, std::set<pid_t>> workers, readers;  // by epoch
  script.on_process = [&](Sample& sample, Context&) {
    const std::lock_guard lock(mutex);
    workers[sample.id.epoch].insert(gettid());
  };
  script.on_read = [&](uint64_t, ReadContext&) {
    const std::lock_guard lock(mutex);
    readers[0].insert(gettid());
  };
  script.run = TakeBatches(5 * 40);  // 40 epochs
  CHECK(ScriptedRun(script, {.source = R"("io_threads": 3)", .run = R"("threads": 2)"})
            .Run()
            .outcome.error == "");
  std::set<pid_t> all;
  for (const auto& [epoch, ids] : workers) all.insert(ids.begin(), ids.end());
  CHECK(workers.size() >= 40);
  CHECK(all.size() <= 2);
  CHECK(readers[0].size() <= 3);
}

TEST_CASE("random numbers differ by sample, epoch and stage, and not by worker") {
  const auto draw = [](int threads) {
    Script script;
    std::mutex mutex;
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> drawn;  // by epoch and position
    script.on_process = [&](Sample& sample, Context& context) {
      Rng rng = context.rng();
      const std::lock_guard lock(mutex);
      drawn[{sample.id.epoch, sample.id.position}] = rng.NextU64();
    };
    script.run = TakeBatches(15);
    ScriptedRun(script, {.run = R"("threads": )" + std::to_string(threads)}).Run();
    while (drawn.size() > 60) drawn.erase(std::prev(drawn.end()));  // three epochs
    return drawn;
  };
  const auto one = draw(1), four = draw(4);
  REQUIRE(one.size() == 60);
  CHECK(one == four);
  std::set<uint64_t> numbers;
  for (const auto& [place, number] : one) numbers.insert(number);
  CHECK(numbers.size() == 60);
}

TEST_CASE("no thread and no body outlives its run") {
  const auto before = EngineThreads();
  Script script;
  script.on_process = [](Sample&, Context&) { std::this_thread::sleep_for(milliseconds(2)); };
  script.run = TakeBatches(7);
  {
    ScriptedRun run(script, {.run = R"("threads": 4)", .device = true});
    CHECK(run.Run().outcome.error == "");
    const uint64_t processed = script.processed, reads = script.reads;
    std::this_thread::sleep_for(milliseconds(50));
    CHECK(script.processed == processed);
    CHECK(script.reads == reads);
  }
  CHECK(EngineThreads() == before);
}
