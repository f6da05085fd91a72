// A run in phases: the data side is drained and planned anew, consumers live on.
#include <doctest/doctest.h>

#include <map>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

constexpr char kTwo[] = R"({"name": "small", "epochs": 2},
  {"name": "large", "epochs": 1, "set": {"/stages/staging/batch": 10, "/stages/staging/slots": 2}})";

// Takes each phase's epochs of "in"; `stop_after` batches in all, the run is told to stop.
struct Taker {
  struct Seen {
    int phase;
    uint64_t epoch, batch, position, index;
    int rows;
  };
  std::vector<Seen> seen;
  uint64_t committed = 0;  // in the phase at work, as the engine counts

  std::function<void(RunContext&)> Run() {
    return [this](RunContext& context) {
      const PhaseInfo& phase = context.phase();
      const uint64_t steps = context.input("in").batches_per_epoch;
      while (committed < (phase.first_epoch + phase.epochs) * steps) {
        const Batch batch = context.Pull("in");
        if (!batch) return;
        for (const RowId& id : batch.content().ids) {
          seen.push_back({phase.index, batch.epoch(), batch.index(), id.position, id.index, batch.rows()});
        }
        context.Commit(batch, "in");
        committed = batch.epoch() * steps + batch.index() + 1;
      }
    };
  }
};

Settings InPhases() {
  Settings settings;
  settings.phases = kTwo;
  return settings;
}

void Enter(Script& script, Taker& taker) {
  script.run = taker.Run();
  script.on_phase = [&taker](OpenContext& context) {
    taker.committed = context.phase().first_epoch * context.input("in").batches_per_epoch;
  };
}

}  // namespace

TEST_CASE("each phase has its batch size and its epochs, and every position once an epoch") {
  Script script;
  Taker taker;
  Enter(script, taker);
  ScriptedRun run(script, InPhases());
  const Result result = run.Run();
  REQUIRE(result.outcome.error == "");
  CHECK(result.outcome.kind == graph::Outcome::kDone);
  std::map<uint64_t, std::vector<uint64_t>> positions;
  for (const Taker::Seen& row : taker.seen) {
    CHECK(row.phase == (row.epoch < 2 ? 0 : 1));
    CHECK(row.rows == (row.epoch < 2 ? 4 : 10));
    positions[row.epoch].push_back(row.position);
  }
  REQUIRE(positions.size() == 3);
  for (auto& [epoch, seen] : positions) {
    std::sort(seen.begin(), seen.end());
    for (uint64_t p = 0; p < 20; ++p) REQUIRE(seen.at(p) == p);
    CHECK(seen.size() == 20);
  }
  REQUIRE(run.host.phases.size() == 1);
  CHECK(run.host.phases[0].name == "large");
  CHECK(run.host.phases[0].first_epoch == 2);
}

TEST_CASE("a run of phases is the same bytes for any workers, and each epoch has its own order") {
  std::set<std::string> first;
  std::set<std::vector<uint64_t>> orders;
  for (const char* threads : {R"("threads": 1)", R"("threads": 4)"}) {
    Script script;
    Taker taker;
    Enter(script, taker);
    Settings settings = InPhases();
    settings.run = threads;
    const Result result = ScriptedRun(script, settings).Run();
    REQUIRE(result.hashes.size() == 2 * 5 + 2);
    if (first.empty()) first = result.hashes;
    CHECK(result.hashes == first);
    std::map<uint64_t, std::vector<uint64_t>> epochs;
    for (const Taker::Seen& row : taker.seen) epochs[row.epoch].push_back(row.index);
    for (const auto& [epoch, order] : epochs) orders.insert(order);
  }
  CHECK(orders.size() == 3);
}

TEST_CASE("a run resumed at any committed batch of any phase gives the same bytes from there on") {
  Script whole_script;
  Taker whole_taker;
  Enter(whole_script, whole_taker);
  const Result whole = ScriptedRun(whole_script, InPhases()).Run();
  for (uint64_t stop = 1; stop < 12; ++stop) {
    Script script;
    Taker taker;
    Enter(script, taker);
    ScriptedRun run(script, InPhases());
    uint64_t batches = 0;
    script.run = [&, take = taker.Run()](RunContext& context) {
      const PhaseInfo& phase = context.phase();
      const uint64_t steps = context.input("in").batches_per_epoch;
      while (taker.committed < (phase.first_epoch + phase.epochs) * steps && batches < stop) {
        const Batch batch = context.Pull("in");
        if (!batch) return;
        context.Commit(batch, "in");
        taker.committed = batch.epoch() * steps + batch.index() + 1;
        if (++batches == stop) run.executor().Stop();
      }
      if (batches == stop) context.Pull("in");  // until the stop is through
    };
    const Result before = run.Run();
    CHECK(before.outcome.kind == graph::Outcome::kInterrupted);
    REQUIRE(run.host.checkpoints.size() >= 1);
    const Value state = run.host.checkpoints.back().second;

    Script again_script;
    Taker again;
    Enter(again_script, again);
    again.committed = taker.committed;
    ScriptedRun resumed(again_script, InPhases());
    const Result after = resumed.Run(&state);
    REQUIRE(after.outcome.error == "");
    std::set<std::string> both = before.hashes;
    both.insert(after.hashes.begin(), after.hashes.end());
    CHECK(both == whole.hashes);
    CHECK(before.hashes.size() + after.hashes.size() == whole.hashes.size());
  }
}

TEST_CASE("a consumer that keeps a batch over a phase's end is told so") {
  Script script;
  Taker taker;
  Enter(script, taker);
  Batch kept;
  script.run = [&](RunContext& context) {
    for (int i = 0; i < 10; ++i) {
      const Batch batch = context.Pull("in");
      if (!batch) return;
      context.Commit(batch, "in");
      kept = batch;
    }
  };
  graph::ExecutorOptions options;
  options.grace = std::chrono::milliseconds(100);
  {
    ScriptedRun run(script, InPhases(), options);
    const Result result = run.Run();
    CHECK(result.outcome.kind == graph::Outcome::kFailed);
    CHECK(result.outcome.error.find("a batch of staging is still held") != std::string::npos);
    kept.Reset();
  }
}

TEST_CASE("an interrupt while a later phase opens ends the run as interrupted") {
  Script script;
  Taker taker;
  Enter(script, taker);
  ScriptedRun run(script, InPhases());
  script.on_open = [&](OpenContext& context) {
    if (context.phase().index == 1) run.executor().Stop();
  };
  CHECK(run.Run().outcome.kind == graph::Outcome::kInterrupted);
}
