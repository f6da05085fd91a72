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

}  // namespace
}  // namespace flowtrain::testing
