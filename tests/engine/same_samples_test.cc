// A run goes on over the samples it began with, not over as many others.
#include "pipeline/graph/same_samples.h"

#include <doctest/doctest.h>

#include "engine/harness.h"

using namespace flowtrain;
using namespace flowtrain::testing;

namespace {

struct Known {
  uint64_t first = 0, second = 0;  // fingerprints of the two chains' sources
  std::string root = "/old";       // of both
};

// Takes a batch, from `state` on where it is not null. What was refused; empty: it ran.
std::string Refused(const Known& known, const Value* state, Value* kept = nullptr) {
  Script script;
  script.fingerprint = [&] { return known.first; };
  script.fingerprint2 = [&] { return known.second; };
  script.run = TakeBatches(1);
  ScriptedRun run(script, {.source = R"("root": ")" + known.root + "\"", .second_chain = true});
  try {
    const Result result = run.Run(state);
    CHECK(result.outcome.error == "");
  } catch (const graph::OpenRefused& refused) {
    return refused.what();
  }
  if (kept != nullptr) *kept = run.host.checkpoints.at(0).second;
  return "";
}

Value StateOf(const Known& known) {
  Value state;
  CHECK(Refused(known, nullptr, &state) == "");
  return state;
}

Value Without(const Value& state, const std::string& key) {
  Value::Object kept;
  for (const auto& member : state.AsObject()) {
    if (member.first != key) kept.push_back(member);
  }
  return kept;
}

}  // namespace

TEST_CASE(
    "a resume over as many samples that are others is refused by the source's place, with what to "
    "do") {
  const Value state = StateOf({.first = 5, .second = ~0ull});
  CHECK(Refused({.first = 5, .second = ~0ull}, &state) == "");
  const std::string first = Refused({.first = 6, .second = ~0ull}, &state);
  for (const char* part :
       {"/stages/source: there are 20 samples as in the checkpoint, but not the same ones",
        "put the files back", "a new run may begin with the old one's weights"}) {
    CHECK(Holds(first, part));
  }
  CHECK(Holds(Refused({.first = 5, .second = 6}, &state),
              "/stages/source2: there are 20 samples as in the checkpoint"));
}

TEST_CASE(
    "a checkpoint of a version that kept no fingerprints is gone on from, and the next one has "
    "them") {
  const Value old = Without(StateOf({.first = 5, .second = 6}), "fingerprints");
  REQUIRE(old.Find("samples") != nullptr);
  Value next;
  CHECK(Refused({.first = 7, .second = 8}, &old, &next) == "");
  CHECK(Holds(Refused({.first = 5, .second = 8}, &next), "/stages/source: "));
}

TEST_CASE(
    "where a source knows no fingerprint, then or now, only the number of its samples is "
    "compared") {
  const Value unknown = StateOf({.first = 0, .second = 6});
  CHECK(Refused({.first = 5, .second = 6}, &unknown) == "");
  const Value known = StateOf({.first = 5, .second = 6});
  CHECK(Refused({.first = 0, .second = 6}, &known) == "");
}

TEST_CASE(
    "files in another place are gone on over where the source knows them, and refused by its name "
    "where it does not") {
  const Value state = StateOf({.first = 5, .second = 6});
  CHECK(Refused({.first = 5, .second = 6, .root = "/new"}, &state) == "");
  const std::string unknown = Refused({.first = 5, .second = 0, .root = "/new"}, &state);
  for (const char* part :
       {"/stages/source2: its files are looked for in another place than the checkpoint's",
        "it no longer says which samples it has", "name the place they had"}) {
    CHECK(Holds(unknown, part));
  }
}

TEST_CASE("a source that takes sources and differs where they do not: what may be the cause") {
  const Value state = StateOf({.first = 5, .second = 6});
  const graph::SampleSet one{"source", 20, 5}, all{"source2", 20, 7, true};
  const std::string other = graph::OtherSamples({one, all}, {}, state, "g.json");
  for (const char* part :
       {"g.json: /stages/source2: there are 20 samples as in the checkpoint, but",
        "another choice or order of them, though its sources have theirs",
        "one possible cause is the order of the stages in the graph file"}) {
    CHECK(Holds(other, part));
  }
}

TEST_CASE("a source is asked for its fingerprint once, when it is open") {
  Script script;
  std::vector<std::string> calls;
  script.on_open_of = [&](const std::string& type, OpenContext&) {
    if (type == "source") calls.push_back("open");
  };
  script.fingerprint = [&] {
    calls.push_back("fingerprint");
    return 5;
  };
  script.run = [](RunContext& context) {
    for (int i = 0; i < 3; ++i) {
      context.Commit(context.Pull("in"), "in");
      CHECK(context.Checkpoint("step", 0));
    }
  };
  CHECK(ScriptedRun(script, {}).Run().outcome.error == "");
  CHECK(calls == std::vector<std::string>{"open", "fingerprint"});
}

TEST_CASE(
    "a fingerprint that throws ends the start by the source's name, and what is open is closed") {
  Script script;
  int open = 0;
  script.on_open_of = [&](const std::string&, OpenContext&) { ++open; };
  script.on_close_of = [&](const std::string&) { --open; };
  script.fingerprint = []() -> uint64_t { throw Error("the list is gone"); };
  {
    ScriptedRun run(script, {});
    CHECK_THROWS_WITH_AS(run.Run(), "source: the list is gone", Error);
  }
  CHECK(open == 0);
}
