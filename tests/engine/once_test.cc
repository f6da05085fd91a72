// Every position of an epoch arrives once, on one rank, whatever becomes of its sample.
#include <doctest/doctest.h>

#include <algorithm>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;
using graph::Outcome;
using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

namespace {

struct Epochs {
  std::map<uint64_t, std::multiset<uint64_t>> positions;  // by epoch, without padding
  std::map<uint64_t, int> padding;
  std::set<int> rows;  // that batches had

  std::function<void(RunContext&)> Take(uint64_t epochs) {
    return [this, epochs](RunContext& context) {
      for (uint64_t left = epochs * context.input("in").batches_per_epoch; left > 0; --left) {
        const Batch batch = context.Pull("in");
        if (!batch) return;
        rows.insert(batch.rows());
        for (const RowId& id : batch.content().ids) {
          if (id.padding) {
            ++padding[batch.epoch()];
          } else {
            positions[batch.epoch()].insert(id.position);
          }
        }
        context.Commit(batch, "in");
      }
    };
  }
};

std::string Sampling(int rank, int world_size) {
  return R"("sampler": {"shuffle": true, "rank": )" + std::to_string(rank) + R"(, "world_size": )" +
         std::to_string(world_size) + "}";
}

}  // namespace

TEST_CASE("each epoch delivers every position of each rank's share once") {
  for (const std::string last_batch : {"drop", "partial", "pad"}) {
    for (const int world : {1, 3}) {
      CAPTURE(last_batch);
      CAPTURE(world);
      std::map<uint64_t, std::multiset<uint64_t>> all;  // by epoch, over the ranks
      for (int rank = 0; rank < world; ++rank) {
        Script script;
        script.size = 50;
        script.on_read = [](uint64_t index, ReadContext&) {
          std::this_thread::sleep_for(microseconds(index * 7919 % 500));
        };
        Epochs seen;
        script.run = seen.Take(3);
        Settings settings{.source = Sampling(rank, world)};
        settings.staging = R"("batch": 4, "slots": 3, "last_batch": ")" + last_batch + "\"";
        CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
        CHECK(seen.rows.count(0) == 0);
        for (const auto& [epoch, positions] : seen.positions) {
          for (const uint64_t position : positions) {
            CHECK(position % world == static_cast<uint64_t>(rank));
          }
          all[epoch].insert(positions.begin(), positions.end());
        }
      }
      REQUIRE(all.size() == 3);
      for (const auto& [epoch, positions] : all) {
        const std::set<uint64_t> once(positions.begin(), positions.end());
        CHECK(once.size() == positions.size());
        CHECK(*once.rbegin() < 50);
        if (last_batch == "drop") {
          CHECK(positions.size() == 48);  // 12 batches on one rank, 4 on each of three
        } else {
          CHECK(positions.size() == 50);
        }
      }
    }
  }
}

TEST_CASE("no batch of size 0 is ever delivered, and none is larger than it should be") {
  for (const std::string last_batch : {"drop", "partial", "pad"}) {
    for (const uint64_t size : {1, 2, 4, 5, 8}) {
      CAPTURE(last_batch);
      CAPTURE(size);
      Script script;
      script.size = size;
      Epochs seen;
      script.run = seen.Take(3);
      Settings settings;
      settings.staging = R"("batch": 4, "slots": 2, "last_batch": ")" + last_batch + "\"";
      if (last_batch == "drop" && size < 4) {
        CHECK_THROWS_AS(ScriptedRun(script, settings).Run(), graph::OpenRefused);
        continue;
      }
      CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
      const int remainder = static_cast<int>(size % 4);
      std::set<int> expected;
      if (size >= 4) expected.insert(4);
      if (last_batch == "partial" && remainder > 0) expected.insert(remainder);
      if (last_batch == "pad") expected.insert(4);
      CHECK(seen.rows == expected);
      if (last_batch == "pad") CHECK(seen.padding[1] == (4 - remainder) % 4);
    }
  }
}

TEST_CASE(
    "bad samples keep their positions: replaced or marked, counted and named, in every epoch") {
  for (const std::string on_bad : {"replace", "mark"}) {
    for (const bool in_read : {true, false}) {
      CAPTURE(on_bad);
      CAPTURE(in_read);
      Script script;
      script.size = 40;
      const auto judge = [](uint64_t index) {
        if (index % 13 == 5)
          throw BadSample("broken", "sample " + std::to_string(index) + " is broken");
      };
      if (in_read)
        script.on_read = [=](uint64_t index, ReadContext&) { judge(index); };
      else
        script.on_process = [=](Sample& sample, Context&) { judge(sample.id.index); };
      std::map<uint64_t, std::multiset<uint64_t>> positions;
      int marked = 0;
      script.run = TakeBatches(20, [&](const Batch& batch) {
        for (const RowId& id : batch.content().ids) {
          positions[batch.epoch()].insert(id.position);
          marked += id.bad ? 1 : 0;
          if (!id.bad) CHECK(id.index % 13 != 5);
        }
      });
      const Settings settings{
          .source = R"("sampler": {"shuffle": true}, "on_bad": ")" + on_bad + "\"",
          .run = R"("threads": 2, "max_bad_share": 1)"};
      ScriptedRun run(script, settings);
      const Result result = run.Run();
      CHECK(result.outcome.error == "");
      for (const uint64_t epoch : {0, 1}) {
        REQUIRE(positions[epoch].size() == 40);
        for (uint64_t p = 0; p < 40; ++p) CHECK(positions[epoch].count(p) == 1);
      }
      // Samples 5, 18 and 31, in two epochs; what was read ahead of the third is nobody's.
      CHECK(marked == (on_bad == "mark" ? 6 : 0));
      if (on_bad == "mark") CHECK(result.bad == 6);
      CHECK(result.bad >= 6);
      CHECK(run.host.bad.size() == result.bad);
      CHECK(Holds(run.metrics.Text(),
                "flowtrain_bad_samples_total{reason=\"broken\"} " + std::to_string(result.bad)));
      REQUIRE(run.host.warnings.size() == 3);  // each once, not once an epoch
      for (const std::string& warning : run.host.warnings) {
        CHECK(Holds(warning, on_bad == "mark" ? "bad sample left out: sample "
                                            : "bad sample replaced: sample "));
        CHECK(Holds(warning, in_read ? "(source)" : "(fill)"));
      }
    }
  }
}

TEST_CASE("bad samples with the smallest pools: no hang, and every position arrives") {
  Script script;
  script.size = 30;
  script.on_process = [](Sample& sample, Context&) {
    if (sample.id.index % 3 == 0) throw BadSample("broken", "sample");
  };
  Epochs seen;
  script.run = seen.Take(3);
  const Settings settings{
      .staging = R"("batch": 1, "slots": 1)",
      .source = R"("sampler": {"shuffle": true}, "io_threads": 1, "read_ahead": 1)",
      .run = R"("threads": 1, "max_bad_share": 1)"};
  CHECK(ScriptedRun(script, settings).Run().outcome.error == "");
  for (uint64_t epoch = 0; epoch < 3; ++epoch) {
    CHECK(std::set<uint64_t>(seen.positions[epoch].begin(), seen.positions[epoch].end()).size() ==
          30);
  }
}
