// Which samples arrive, in which order, with which bytes.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine/harness.h"

namespace flowtrain::testing {
namespace {

TEST_CASE("an epoch delivers every position once, in batches in order, and flows into the next one") {
  Script script;
  script.size = 22;
  std::vector<std::pair<uint64_t, uint64_t>> order;
  std::map<uint64_t, std::multiset<uint64_t>> positions, indices;
  script.run = TakeBatches(12, [&](const Batch& batch) {
    order.emplace_back(batch.epoch(), batch.index());
    for (const RowId& id : batch.content().ids) {
      positions[batch.epoch()].insert(id.position);
      indices[batch.epoch()].insert(id.index);
    }
  });
  ScriptedRun run(script, {.staging = R"("batch": 4, "slots": 3, "last_batch": "partial")"});
  CHECK(run.Run().outcome.kind == graph::Outcome::kDone);
  REQUIRE(order.size() == 12);
  for (size_t i = 0; i < order.size(); ++i) CHECK(order[i] == std::pair<uint64_t, uint64_t>(i / 6, i % 6));
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    REQUIRE(positions[epoch].size() == 22);
    for (uint64_t p = 0; p < 22; ++p) CHECK(positions[epoch].count(p) == 1);
    CHECK(std::set<uint64_t>(indices[epoch].begin(), indices[epoch].end()).size() == 22);
  }
}

TEST_CASE("the remainder of an epoch is dropped, smaller or padded as the graph says") {
  for (const auto& [last_batch, batches, last_rows, padding] :
       std::vector<std::tuple<std::string, uint64_t, int, int>>{{"drop", 2, 4, 0}, {"partial", 3, 2, 0}, {"pad", 3, 4, 2}}) {
    CAPTURE(last_batch);
    Script script;
    script.size = 10;
    int rows = 0, padded = 0;
    script.run = TakeBatches(batches, [&](const Batch& batch) {
      CHECK(batch.content().batches_per_epoch == batches);
      if (!batch.last_in_epoch()) return;
      rows = batch.rows();
      padded = static_cast<int>(std::count_if(batch.content().ids.begin(), batch.content().ids.end(), [](const RowId& id) { return id.padding; }));
    });
    ScriptedRun run(script, {.staging = R"("batch": 4, "slots": 2, "last_batch": ")" + last_batch + "\""});
    CHECK(run.Run().outcome.kind == graph::Outcome::kDone);
    CHECK(rows == last_rows);
    CHECK(padded == padding);
  }
}

TEST_CASE("ranks share an epoch without overlap and follow one global order") {
  std::map<uint64_t, uint64_t> index_of;  // by position, from world size 1
  Script whole;
  whole.run = TakeBatches(5, [&](const Batch& batch) {
    for (const RowId& id : batch.content().ids) index_of[id.position] = id.index;
  });
  ScriptedRun(whole, {}).Run();
  REQUIRE(index_of.size() == 20);
  std::set<uint64_t> seen;
  for (const int rank : {0, 1}) {
    Script share;
    share.run = TakeBatches(2, [&](const Batch& batch) {
      for (const RowId& id : batch.content().ids) {
        CHECK(seen.insert(id.position).second);
        CHECK(index_of[id.position] == id.index);
      }
    });
    ScriptedRun(share, {.source = R"("sampler": {"shuffle": true, "world_size": 2, "rank": )" + std::to_string(rank) + "}"}).Run();
  }
  CHECK(seen.size() == 16);
}

std::set<std::string> HashesOf(const Settings& settings, bool delays, uint64_t batches = 15) {
  Script script;
  if (delays) {
    script.on_read = [](uint64_t index, ReadContext&) { std::this_thread::sleep_for(std::chrono::microseconds(index * 7919 % 3000)); };
    script.on_process = [](Sample& sample, Context&) { std::this_thread::sleep_for(std::chrono::microseconds(sample.id.index * 104729 % 2000)); };
  }
  script.run = TakeBatches(batches);
  return ScriptedRun(script, settings).Run().hashes;
}

TEST_CASE("batches are the same bytes for any workers, slots, tokens, I/O threads and delays") {
  const std::set<std::string> expected = HashesOf({.run = R"("threads": 1)"}, false);
  REQUIRE(expected.size() == 15);
  for (const int threads : {1, 2, 4, 16}) {
    for (const auto& [slots, source] : std::vector<std::pair<int, std::string>>{
             {1, R"("io_threads": 1, "read_ahead": 1)"}, {3, R"("io_threads": 8)"}, {8, R"("io_threads": 3, "read_ahead": 50)"}}) {
      CAPTURE(threads);
      CAPTURE(slots);
      const Settings settings{.staging = R"("batch": 4, "slots": )" + std::to_string(slots), .source = R"("sampler": {"shuffle": true}, )" + source,
                              .run = R"("threads": )" + std::to_string(threads)};
      CHECK(HashesOf(settings, threads % 4 == 0) == expected);
    }
  }
}

TEST_CASE("another seed gives other batches, and each epoch its own order") {
  const std::set<std::string> one = HashesOf({.seed = 1}, false), two = HashesOf({.seed = 2}, false);
  CHECK(one != two);
  std::map<uint64_t, std::vector<uint64_t>> order;
  Script script;
  script.run = TakeBatches(10, [&](const Batch& batch) {
    for (const RowId& id : batch.content().ids) order[batch.epoch()].push_back(id.index);
  });
  ScriptedRun(script, {}).Run();
  CHECK(order[0] != order[1]);
}

TEST_CASE("a run resumed at any committed batch, twice in a row too, gives the same bytes from there on") {
  const std::set<std::string> expected = HashesOf({}, false, 13);
  for (uint64_t first = 1; first < 12; first += 2) {
    CAPTURE(first);
    std::set<std::string> together;
    Value state;
    for (const auto& [from, to] : {std::pair<uint64_t, uint64_t>{0, first}, {first, first + 1}, {first + 1, 13}}) {
      Script script;
      script.run = TakeBatches(to - from);
      ScriptedRun run(script, {});
      const Result result = run.Run(from == 0 ? nullptr : &state);
      REQUIRE(run.host.checkpoints.size() == 1);
      state = run.host.checkpoints[0].second;
      CHECK(result.hashes.size() == to - from);
      together.insert(result.hashes.begin(), result.hashes.end());
    }
    CHECK(together == expected);
  }
}

TEST_CASE("what was pulled but not committed comes again") {
  Script script;
  script.run = [](RunContext& context) {
    Batch last;
    for (int i = 0; i < 3; ++i) last = context.Pull("in");
    context.Commit(last, "in");  // commits all three
    context.Pull("in");          // not this one
  };
  ScriptedRun run(script, {});
  CHECK(run.Run().hashes.size() == 3);
  Script again;
  again.run = TakeBatches(1, [](const Batch& batch) { CHECK(batch.index() == 3); });
  ScriptedRun(again, {}).Run(&run.host.checkpoints.at(0).second);
}

}  // namespace
}  // namespace flowtrain::testing
