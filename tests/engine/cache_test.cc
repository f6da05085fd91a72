// A source's cache in a run: later epochs, phases and runs need no storage.
#include <doctest/doctest.h>

#include <fstream>
#include <mutex>
#include <set>

#include "engine/harness.h"
#include "support/scratch_folder.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

constexpr uint64_t kFiles = 20;

struct Cached {
  ScratchFolder folder;
  Script script;
  std::mutex mutex;  // protects wrong
  uint64_t wrong = 0;

  Cached() {
    for (uint64_t i = 0; i < kFiles; ++i) std::ofstream(Name(i)) << Content(i);
    script.size = kFiles;
    script.on_read = [this](uint64_t index, ReadContext& context) {
      const Buffer bytes = context.ReadFile(Name(index));
      const std::lock_guard lock(mutex);
      if (std::string(bytes.data.get(), bytes.data.get() + bytes.size) != Content(index)) ++wrong;
    };
  }
  std::filesystem::path Name(uint64_t i) const { return folder / ("f" + std::to_string(i)); }
  static std::string Content(uint64_t i) { return std::string(1000 + i, static_cast<char>('a' + i)); }
  void RemoveFiles() const {
    for (uint64_t i = 0; i < kFiles; ++i) std::filesystem::remove(Name(i));
  }
  std::string Source(const std::string& kind) const {
    return R"("sampler": {"shuffle": true}, "cache": ")" + kind + R"(", "cache_dir": ")" + (folder / "cache").string() + "\"";
  }
};

}  // namespace

TEST_CASE("once an epoch is through, a cached source needs none of its files") {
  for (const std::string kind : {"ram", "disk"}) {
    CAPTURE(kind);
    Cached cached;
    uint64_t batches = 0;
    cached.script.run = [&](RunContext& run) {
      for (; batches < 20; ++batches) {
        if (batches == 10) cached.RemoveFiles();  // two epochs of five; what is read ahead is cached by now
        const Batch batch = run.Pull("in");
        if (!batch) return;
        run.Commit(batch, "in");
      }
    };
    ScriptedRun run(cached.script, {.source = cached.Source(kind)});
    const Result result = run.Run();
    CHECK(result.outcome.error == "");
    CHECK(batches == 20);
    CHECK(cached.wrong == 0);
    const metrics::StageTotals totals = run.metrics.Totals("source");
    CHECK(totals.cache_misses >= kFiles);
    CHECK(totals.cache_misses <= kFiles + 2);  // two threads may read a file at once at the border of epochs
    CHECK(totals.cache_hits >= 3 * kFiles);
    CHECK(run.host.warnings.empty());
  }
}

TEST_CASE("a run with a cache gives the same batches as one without, its first and its second time") {
  Cached cached;
  cached.script.run = TakeBatches(15);
  std::set<std::string> expected;
  for (const std::string kind : {"none", "ram", "disk", "disk"}) {
    CAPTURE(kind);
    ScriptedRun run(cached.script, {.source = cached.Source(kind)});
    const Result result = run.Run();
    CHECK(result.outcome.error == "");
    if (expected.empty()) expected = result.hashes;
    CHECK(result.hashes == expected);
  }
  CHECK(cached.wrong == 0);
}

TEST_CASE("the next run reads only what has changed since") {
  Cached cached;
  cached.script.run = TakeBatches(5);
  {
    ScriptedRun run(cached.script, {.source = cached.Source("disk")});
    REQUIRE(run.Run().outcome.error == "");
  }
  std::filesystem::last_write_time(cached.Name(3), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  ScriptedRun run(cached.script, {.source = cached.Source("disk")});
  REQUIRE(run.Run().outcome.error == "");
  CHECK(run.metrics.Totals("source").cache_misses >= 1);
  CHECK(run.metrics.Totals("source").cache_misses <= 2);
  CHECK(cached.wrong == 0);
}

TEST_CASE("a cache in memory lives through phases") {
  Cached cached;
  cached.script.run = [&](RunContext& run) {
    const uint64_t batches = run.phase().epochs * 5;
    for (uint64_t i = 0; i < batches; ++i) {
      const Batch batch = run.Pull("in");
      if (!batch) return;
      run.Commit(batch, "in");
    }
  };
  ScriptedRun run(cached.script, {.source = cached.Source("ram"), .phases = R"({"name": "a", "epochs": 2}, {"name": "b", "epochs": 2})"});
  CHECK(run.Run().outcome.error == "");
  CHECK(run.metrics.Totals("source").cache_misses <= kFiles + 2);
}

TEST_CASE("a cache that is used up is one line, and the run goes on") {
  for (const std::string kind : {"ram", "disk"}) {
    CAPTURE(kind);
    Cached cached;
    cached.script.run = TakeBatches(15);
    ScriptedRun run(cached.script, {.source = cached.Source(kind) + R"(, "cache_bytes": 10000)"});
    CHECK(run.Run().outcome.error == "");
    CHECK(run.host.warnings.size() == 1);
    CHECK(Holds(run.host.warnings.at(0), "9.8 KiB are used up"));
    CHECK(cached.wrong == 0);
    const metrics::StageTotals totals = run.metrics.Totals("source");
    CHECK(totals.cache_hits > 0);
    CHECK(totals.cache_misses > kFiles);
  }
}

TEST_CASE("a cache folder that can't be made is refused at the start, by its place in the graph") {
  Cached cached;
  std::ofstream(cached.folder / "cache") << "a file";
  ScriptedRun run(cached.script, {.source = cached.Source("disk")});
  try {
    run.Run();
    FAIL("nothing thrown");
  } catch (const graph::OpenRefused& refused) {
    CHECK(Holds(refused.what(), "/stages/source/cache_dir: can't make the cache folder"));
  }
}
