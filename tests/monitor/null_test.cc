// monitor.null takes in what it was told to, and reports it.
#include <doctest/doctest.h>

#include "monitor/made_batch.h"
#include <flowtrain/testing/consumer_runner.h>

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

// `first`: the batches that an earlier run has taken in.
TestRunContext RunNull(const Value& params, uint64_t first = 0, const PhaseInfo& phase = {}) {
  MadeBatch made(4, 2, 2);
  made.content.ids[2].bad = true;
  made.content.ids[3].padding = true;
  TestRunContext run("unused");
  for (uint64_t i = first; i < 12; ++i) run.batches["in"].push_back(made.At(i / 3, i % 3, 3));
  TestOpenContext open;
  open.phase_info = run.phase_info = phase;
  open.inputs["in"] = run.inputs["in"] = {.batches_per_epoch = 3, .connected = true};
  const auto null = Make<Consumer>(MonitorPlugin().Find("monitor.null"), params, open);
  if (first > 0) null->Load(State("unused", Value::Object{{"done", first}}));
  null->Run(run);
  return run;
}

Value With(const char* key, int value) {
  Value params;
  params.Set(key, value);
  return params;
}

}  // namespace

TEST_CASE("one epoch is the default, and each batch is committed once, in order") {
  const TestRunContext run = RunNull({});
  CHECK(run.commits ==
        std::vector<std::pair<std::string, uint64_t>>{{"in", 0}, {"in", 1}, {"in", 2}});
}

TEST_CASE("each epoch gets a line with batches and samples, padding and bad rows left out") {
  const TestRunContext run = RunNull(With("epochs", 2));
  CHECK(run.commits.size() == 6);
  REQUIRE(run.records.size() == 2);
  CHECK(run.records[1].ToJson() == R"({"epoch":1,"batches":3,"samples":6,"bad_samples":3})");
}

TEST_CASE("a limit of batches ends the run inside an epoch, whose line says how far it came") {
  Value params = With("epochs", 4);
  params.Set("batches", 4);
  const TestRunContext run = RunNull(params);
  CHECK(run.commits.size() == 4);
  REQUIRE(run.records.size() == 2);
  CHECK(run.records[1].At("batches").AsInteger() == 1);
}

TEST_CASE("a resumed run ends where the undisturbed one would") {
  CHECK(RunNull(With("epochs", 2), 4).commits.size() == 2);
  CHECK(RunNull(With("batches", 6), 2).commits.size() == 1);  // one epoch is the nearer bound
}

TEST_CASE("a run resumed at its end takes in nothing more") {
  CHECK(RunNull(With("epochs", 2), 6).commits.empty());
}

TEST_CASE("a phase says when it ends; a number of batches beside it is refused") {
  const PhaseInfo second{.index = 1, .count = 2, .name = "b", .first_epoch = 1, .epochs = 2};
  CHECK(RunNull({}, 3, second).commits.size() == 6);
  CHECK_THROWS_AS(RunNull(With("batches", 4), 0, second), Refused);
}

TEST_CASE("progress counts epochs from 1 and says how much is left") {
  const TestRunContext run = RunNull(With("epochs", 2));
  const ProgressReport& last = run.progress.back();
  CHECK(last.epoch == 2);
  CHECK(last.epochs == 2);
  CHECK(last.step == 3);
  CHECK(last.steps == 3);
  CHECK(last.done_steps == 6);
  CHECK(last.total_steps == 6);
}

TEST_CASE("an input that ends early ends the stage") {
  CHECK(RunNull(With("epochs", 100)).commits.size() == 12);
}
