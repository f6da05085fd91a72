// Parameters that were called something else before.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

GraphText With(const std::string& params) {
  GraphText text;
  text.augment += ", " + params;
  return text;
}

const Value& AugmentParams(const ValidatedGraph& graph) {
  return graph.chains.at(0).transforms.at(1).params;
}

}  // namespace

TEST_CASE("a parameter's old name still works, and that is noted once") {
  const ValidatedGraph graph = LoadFake(With(R"("power": 2.5)").str());
  CHECK(AugmentParams(graph).At("gamma") == Value(2.5));
  CHECK(AugmentParams(graph).Find("power") == nullptr);
  REQUIRE(graph.notes.size() == 1);
  CHECK(graph.notes[0] ==
        "g.json: /stages/augment/power: was renamed to \"gamma\"; the old name goes in 0.3");
  CHECK(LoadFake(With(R"("gamma": 2.5)").str()).notes.empty());
}

TEST_CASE("an old name is checked like the new one, at its own place") {
  const auto faults = FaultsOf(With(R"("power": 0)").str());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] == "/stages/augment/power: 0 is out of range: expected a number above 0");
}

TEST_CASE("the old and the new name at once are a fault") {
  const auto faults = FaultsOf(With(R"("gamma": 2, "power": 2)").str());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0] ==
        "/stages/augment/power: was renamed to \"gamma\", and \"gamma\" is given too; keep "
        "\"gamma\" only");
}

TEST_CASE("an old name works inside a list and from the command line") {
  LoadOptions options;
  options.sets = {"/stages/augment/power=3"};
  const ValidatedGraph graph =
      LoadFake(With(R"("ops": [{"op": "flip", "share": 0.25}])").str(), options);
  CHECK(AugmentParams(graph).At("gamma").AsNumber() == 3);
  CHECK(AugmentParams(graph).At("ops").AsList()[0].At("p") == Value(0.25));
  REQUIRE(graph.notes.size() == 2);
  CHECK(graph.notes[0].find("/stages/augment/ops/0/share: ") != std::string::npos);
}

TEST_CASE("an old name that two phases set is noted once") {
  GraphText text;
  text.top = R"("seed": 42, "phases": [
    {"name": "a", "epochs": 1, "set": {"/stages/augment/power": 2}},
    {"name": "b", "epochs": 1, "set": {"/stages/augment/power": 3}}],)";
  const ValidatedGraph graph = LoadFake(text.str());
  REQUIRE(graph.phases.size() == 2);
  CHECK(AugmentParams(graph.phases[1].graph).At("gamma").AsNumber() == 3);
  CHECK(graph.notes.size() == 1);
}

TEST_CASE("what a run folder keeps has the new names") {
  const ValidatedGraph graph = LoadFake(With(R"("power": 2.5)").str());
  const Value& augment = graph.resolved.At("stages").At("augment");
  CHECK(augment.At("gamma") == Value(2.5));
  CHECK(augment.Find("power") == nullptr);
}

TEST_CASE("an unknown name is not told an old one") {
  const auto faults = FaultsOf(With(R"("powr": 2)").str());
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].find("power") == std::string::npos);
}

}  // namespace flowtrain::config
