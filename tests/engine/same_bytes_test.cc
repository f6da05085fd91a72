// Batches are a function of the graph, the seed and the epoch, and of nothing else.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using std::chrono::microseconds;

namespace {

struct Machine {
  int threads = 1, slots = 3, io_threads = 2, read_ahead = 0;
  int delay = 0;  // 0: none; else another pattern of delays for each number
};

// The hash lines of three epochs of 20 samples, some of them bad, at batch size 4.
std::set<std::string> HashesOf(const Machine& machine, uint64_t seed = 7) {
  Script script;
  const auto dawdle = [delay = machine.delay](uint64_t index, uint64_t salt) {
    if (delay == 0) return;
    std::this_thread::sleep_for(microseconds((index * 7919 + salt + delay * 31) % 11 * 200));
  };
  script.on_read = [&](uint64_t index, ReadContext&) {
    dawdle(index, 1);
    if (index == 6) throw BadSample("broken", "sample 6");
  };
  script.on_process = [&](Sample& sample, Context&) {
    dawdle(sample.id.index, 5);
    if (sample.id.index == 13) throw BadSample("broken", "sample 13");
  };
  script.run = TakeBatches(15, [&](const Batch& batch) { dawdle(batch.index(), 3); });
  Settings settings{.seed = seed};
  settings.staging = R"("batch": 4, "slots": )" + std::to_string(machine.slots);
  settings.source = R"("sampler": {"shuffle": true}, "io_threads": )" +
                    std::to_string(machine.io_threads) + R"(, "read_ahead": )" +
                    std::to_string(machine.read_ahead);
  settings.run = R"("max_bad_share": 1, "threads": )" + std::to_string(machine.threads);
  const Result result = ScriptedRun(script, settings).Run();
  CHECK(result.outcome.error == "");
  return result.hashes;
}

}  // namespace

TEST_CASE("batches are the same bytes for any workers, tokens, slots, I/O threads and delays") {
  const std::set<std::string> expected = HashesOf({});
  REQUIRE(expected.size() == 15);
  int runs = 0;
  for (const int threads : {1, 2, 3, 5, 8, 16}) {
    for (const int slots : {1, 2, 5}) {
      for (const int io_threads : {1, 3, 8}) {
        for (const int delay : {0, 1, 2}) {
          CAPTURE(threads);
          CAPTURE(slots);
          CAPTURE(io_threads);
          CAPTURE(delay);
          const int read_ahead = (threads + io_threads) % 3 == 0 ? 1 : io_threads * 4;
          CHECK(HashesOf({threads, slots, io_threads, read_ahead, delay}) == expected);
          ++runs;
        }
      }
    }
  }
  MESSAGE(runs, " runs of 15 batches, tokens 2 to 32, the same bytes");
}

TEST_CASE("another seed gives other batches, each epoch has an order of its own") {
  CHECK(HashesOf({}, 1) != HashesOf({}, 2));
  CHECK(HashesOf({}, 1) == HashesOf({}, 1));
  std::set<std::string> contents;  // without epoch and batch
  for (const std::string& line : HashesOf({})) contents.insert(line.substr(line.rfind(' ')));
  CHECK(contents.size() == 15);
}

namespace {

// Index by epoch and position, as a rank sees them.
std::map<std::pair<uint64_t, uint64_t>, uint64_t> OrderOf(int rank, int world, uint64_t seed,
                                                          const char* staging) {
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> order;
  Script script;
  script.size = 24;
  script.run = [&](RunContext& context) {
    for (uint64_t left = 2 * context.input("in").batches_per_epoch; left > 0; --left) {
      const Batch batch = context.Pull("in");
      for (const RowId& id : batch.content().ids) order[{batch.epoch(), id.position}] = id.index;
      context.Commit(batch, "in");
    }
  };
  Settings settings{.staging = staging, .seed = seed};
  settings.source = R"("sampler": {"shuffle": true, "rank": )" + std::to_string(rank) +
                    R"(, "world_size": )" + std::to_string(world) + "}";
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  return order;
}

}  // namespace

TEST_CASE("the order depends on seed and epoch only: not on batch size, world size or slots") {
  const auto whole = OrderOf(0, 1, 5, R"("batch": 4, "slots": 3)");
  REQUIRE(whole.size() == 48);
  CHECK(OrderOf(0, 1, 5, R"("batch": 3, "slots": 1)") == whole);
  CHECK(OrderOf(0, 1, 6, R"("batch": 4, "slots": 3)") != whole);
  bool differs = false;
  for (uint64_t p = 0; p < 24; ++p) differs |= whole.at({0, p}) != whole.at({1, p});
  CHECK(differs);
  for (const int world : {2, 3, 4}) {
    CAPTURE(world);
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> together;
    for (int rank = 0; rank < world; ++rank) {
      const auto share = OrderOf(rank, world, 5, R"("batch": 2, "slots": 3)");
      CHECK(share.size() == 48u / static_cast<unsigned>(world));
      together.insert(share.begin(), share.end());
    }
    CHECK(together == whole);
  }
}
