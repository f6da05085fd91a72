// A run that goes on from a checkpoint is the run that was never interrupted.
#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

const Settings kSettings{.staging = R"("batch": 4, "slots": 3, "last_batch": "partial")"};

// Takes `batches` from where `state` stands (null: the start) and moves it on.
std::set<std::string> Take(uint64_t batches, Value* state, bool fresh) {
  Script script;
  script.size = 22;  // 5 batches of 4 and one of 2
  script.on_process = [](Sample& sample, Context&) {
    if (sample.id.index == 9) throw BadSample("broken", "sample 9");
  };
  script.run = TakeBatches(batches);
  ScriptedRun run(script, kSettings);
  const Result result = run.Run(fresh ? nullptr : state);
  CHECK(result.outcome.error == "");
  CHECK(result.hashes.size() == batches);
  REQUIRE(run.host.checkpoints.size() == 1);
  *state = run.host.checkpoints[0].second;
  return result.hashes;
}

}  // namespace

TEST_CASE("a run resumed at every committed position gives the same bytes from there on") {
  Value state;
  const std::set<std::string> whole = Take(18, &state, true);
  for (uint64_t first = 1; first < 18; ++first) {
    CAPTURE(first);
    std::set<std::string> together = Take(first, &state, true);
    together.merge(Take(18 - first, &state, false));
    CHECK(together == whole);
  }
}

TEST_CASE("a second resume does not drift, nor does one after every batch") {
  Value state;
  const std::set<std::string> whole = Take(18, &state, true);
  for (uint64_t first = 1; first < 16; ++first) {
    CAPTURE(first);
    std::set<std::string> together = Take(first, &state, true);
    together.merge(Take(1, &state, false));
    together.merge(Take(17 - first, &state, false));
    CHECK(together == whole);
  }
  std::set<std::string> one_by_one = Take(1, &state, true);
  for (int i = 1; i < 18; ++i) one_by_one.merge(Take(1, &state, false));
  CHECK(one_by_one == whole);
}

TEST_CASE(
    "a resume at an epoch's border begins the next epoch, at its first batch, and skips none") {
  Value state;
  std::vector<std::string> lines;
  for (int epoch = 0; epoch < 4; ++epoch) {
    const std::set<std::string> hashes = Take(6, &state, epoch == 0);
    for (const std::string& line : hashes) {
      CAPTURE(line);
      CHECK(line.rfind("sink.in " + std::to_string(epoch) + " ", 0) == 0);
    }
  }
}

TEST_CASE(
    "a checkpoint's position is one number: it does not grow, and saving takes as long at any "
    "position") {
  std::vector<size_t> sizes;
  std::vector<double> seconds;
  Script script;
  script.size = 4000;
  script.run = [&](RunContext& context) {
    for (int i = 1; i <= 20'000; ++i) {
      context.Commit(context.Pull("in"), "in");
      if (i % 5'000 != 100 && i % 5'000 != 0) continue;
      const auto start = std::chrono::steady_clock::now();
      CHECK(context.Checkpoint("step", 0));
      seconds.push_back(Since(start));
    }
  };
  ScriptedRun run(script, {.staging = R"("batch": 2, "slots": 4)"});
  CHECK(run.Run().outcome.error == "");
  for (const auto& [tag, state] : run.host.checkpoints) sizes.push_back(state.ToJson().size());
  REQUIRE(sizes.size() >= 8);
  const double early = std::min(seconds[0], seconds[1]), late = std::min(seconds[6], seconds[7]);
  MESSAGE("state: ", sizes[0], " bytes after 100 batches, ", sizes[7], " after 20,000; saved in ",
          early * 1e6, " us and ", late * 1e6, " us");
  CHECK(sizes[7] <= sizes[0] + 4);  // digits of the position
  CHECK(late < 10 * early + 0.001);
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

TEST_CASE("a parameter younger than the checkpoint is no change where it has its default") {
  Script script;
  const Declared declared = DeclareStages(script);
  // As a version saved it that knew neither the last batch's rule nor the order's.
  const auto without = [](const config::ValidatedGraph& graph) {
    Value parameters{Value::Object{}};
    for (const auto& [pointer, value] : graph.fixed) {
      const bool young = pointer.ends_with("/last_batch") || pointer.ends_with("/shuffle");
      if (!young) parameters.Set(pointer, value);
    }
    return Value(Value::Object{{"parameters", parameters}});
  };
  const auto plain = MakeGraph(declared, {.source = ""});
  CHECK(graph::ResumeDifferences(plain, without(plain)).empty());
  const auto shuffled = MakeGraph(declared, {.source = R"("sampler": {"shuffle": true})"});
  const auto differences = graph::ResumeDifferences(shuffled, without(shuffled));
  REQUIRE(differences.size() == 1);
  CHECK(Holds(differences[0], "shuffle: absent in the checkpoint, true now"));
}

TEST_CASE(
    "another place of a source's files is a difference, unless the checkpoint knows them by name "
    "and it may be") {
  Script script;
  const Declared declared = DeclareStages(script);
  const auto then = MakeGraph(declared, {.source = R"("root": "/old")"});
  const auto now = MakeGraph(declared, {.source = R"("root": "/new")"});
  Value parameters{Value::Object{}};
  for (const auto& [pointer, value] : then.fixed) parameters.Set(pointer, value);
  Value state(Value::Object{{"parameters", parameters}});
  const std::vector<std::string> moves{
      R"(/stages/source/root: "/old" in the checkpoint, "/new" now)"};
  std::vector<std::string> moved;
  CHECK(graph::ResumeDifferences(now, state, &moved) == moves);
  CHECK(moved.empty());
  state.Set("fingerprints", Value::Object{{"source", "0000000000000005"}});
  CHECK(graph::ResumeDifferences(now, state) == moves);
  CHECK(graph::ResumeDifferences(now, state, &moved).empty());
  CHECK(moved == moves);
}

TEST_CASE("a resume over another number of samples is refused with both numbers, by the source's place") {
  Value state;
  Take(3, &state, true);
  for (const uint64_t size : {21, 23}) {
    Script script;
    script.size = size;
    script.run = TakeBatches(1);
    ScriptedRun run(script, kSettings);
    try {
      run.Run(&state);
      FAIL("nothing thrown");
    } catch (const graph::OpenRefused& refused) {
      CHECK(Holds(refused.what(), "/stages/source: there are " + std::to_string(size) + " samples now, and 22 in the checkpoint"));
    }
  }
}
