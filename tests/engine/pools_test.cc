// Bounds are counted inside the engine, at every change, under all that can go wrong.
#include <doctest/doctest.h>

#include "engine/harness.h"
#include "pipeline/graph/batch_queue.h"
#include "pipeline/graph/batch_runner.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::microseconds;
using std::chrono::milliseconds;

namespace {

std::string Number(const char* name, int value) {
  return "\"" + std::string(name) + "\": " + std::to_string(value);
}

}  // namespace

TEST_CASE("no pool is ever above its size: tokens, read-ahead, slots, residents, queues") {
  for (const int threads : {1, 3}) {
    for (const int slots : {1, 2, 5}) {
      for (const int read_ahead : {1, 7}) {
        CAPTURE(threads);
        CAPTURE(slots);
        CAPTURE(read_ahead);
        Script script;
        script.size = 40;
        script.on_read = [](uint64_t index, ReadContext&) {
          if (index == 11) throw BadSample("broken", "sample 11");
          std::this_thread::sleep_for(microseconds(index * 7919 % 300));
        };
        script.on_process = [](Sample& sample, Context&) {
          if (sample.id.index == 17) throw BadSample("broken", "sample 17");
          std::this_thread::sleep_for(microseconds(sample.id.index * 104729 % 300));
        };
        script.run = TakeBatches(60, [](const Batch& batch) {
          std::this_thread::sleep_for(microseconds(batch.index() * 31 % 7 * 200));
        });
        Settings settings{.device = true};
        settings.staging = Number("batch", 3) + ", " + Number("slots", slots);
        settings.source =
            R"("sampler": {"shuffle": true}, "io_threads": 3, )" + Number("read_ahead", read_ahead);
        settings.run = R"("max_bad_share": 1, )" + Number("threads", threads);
        const Result result = ScriptedRun(script, settings).Run();
        CHECK(result.outcome.error == "");
        CHECK(result.hashes.size() == 60);
        CHECK(result.peaks.tokens >= 1);
        CHECK(result.peaks.tokens <= 2 * threads);
        CHECK(result.peaks.read_ahead <= read_ahead);
        CHECK(result.peaks.slots <= slots);
        CHECK(result.peaks.residents <= 2);
        CHECK(result.peaks.queued <= std::max(slots, 2));
      }
    }
  }
}

TEST_CASE("every pool is used up when the consumer stalls, and none is exceeded") {
  Script script;
  script.size = 1000;
  uint64_t reads = 0;
  script.run = [&](RunContext& context) {
    context.Commit(context.Pull("in"), "in");
    do {
      reads = script.reads;
      std::this_thread::sleep_for(milliseconds(200));
    } while (reads != script.reads);
  };
  Settings settings{.source = R"("read_ahead": 9)", .device = true};
  const Result result = ScriptedRun(script, settings).Run();
  MESSAGE("peaks: ", result.peaks.tokens, " tokens of 4, ", result.peaks.read_ahead,
          " read ahead of 9, ", result.peaks.slots, " slots of 3, ", result.peaks.residents,
          " residents of 2; ", reads, " samples read");
  CHECK(result.peaks.tokens <= 4);
  CHECK(result.peaks.read_ahead == 9);
  CHECK(result.peaks.slots == 3);
  CHECK(result.peaks.residents == 2);
  CHECK(result.peaks.queued <= 3);
  // One was committed and dropped, two are resident, three stand in slots: then reading stops.
  CHECK(reads <= 9 + 2 * 2 + 3 * 4 + 3 * 4);
}

TEST_CASE("a stalled second chain keeps its own pools and takes none of the first one's") {
  Script script;
  script.size = 400;
  script.run = TakeBatches(100);
  const Settings settings{.source = R"("read_ahead": 6)", .second_chain = true};
  const Result result = ScriptedRun(script, settings).Run();
  CHECK(result.outcome.error == "");
  CHECK(result.hashes.size() == 100);
  CHECK(result.peaks.tokens <= 4);
  CHECK(result.peaks.read_ahead <= 6);
  CHECK(result.peaks.slots <= 3);
}

TEST_CASE("a lossy queue holds one batch at most, in it or in its reader's hand") {
  graph::BatchQueue queue("a->b", 1, true);
  const auto push = [&] {
    Batch batch = Batch::Create({});
    queue.Push(batch);
    return !batch;  // taken
  };
  CHECK(push());
  CHECK_FALSE(push());
  const Batch in_hand = queue.Pop();
  CHECK_FALSE(push());
  CHECK(queue.peak() == 1);
}

TEST_CASE("residents are given out one by one and never twice") {
  graph::Residents residents(2);
  const int first = residents.Acquire(), second = residents.Acquire();
  CHECK(first != second);
  CHECK(residents.in_use() == 2);
  std::thread release([&] {
    std::this_thread::sleep_for(milliseconds(50));
    residents.Release(first);
  });
  CHECK(residents.Acquire() == first);
  release.join();
  residents.Close();
  CHECK(residents.Acquire() == -1);
  CHECK(residents.peak() == 2);
}
