// Phases: the graph with some parameters set differently, one after the other.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

std::string InPhases(const std::string& phases) {
  GraphText text;
  text.after = R"("phases": )" + phases;
  return text.str();
}

constexpr char kTwo[] = R"([
  {"name": "small", "epochs": 3, "set": {"/stages/augment/size": [64, 64], "/stages/staging/batch": 32}},
  {"name": "large", "epochs": 2, "set": {"/stages/net/lr": 0.0001}}])";

}  // namespace

TEST_CASE("each phase is the graph with its own settings, and the graph itself stays as written") {
  const ValidatedGraph graph = LoadFake(InPhases(kTwo));
  REQUIRE(graph.phases.size() == 2);
  CHECK(graph.phases[0].name == "small");
  CHECK(graph.phases[0].epochs == 3);
  CHECK(graph.phases[0].graph.chains.at(0).staging_params.batch == 32);
  CHECK(graph.phases[0].graph.chains.at(0).rows.at(0).shape[0] == 64);
  CHECK(graph.phases[1].graph.chains.at(0).staging_params.batch == 8);
  CHECK(graph.phases[1].graph.consumers.at(0).params.At("lr").AsNumber() == 0.0001);
  CHECK(graph.chains.at(0).staging_params.batch == 8);
  CHECK(graph.phases[0].graph.phases.empty());
}

TEST_CASE("the run folder keeps the phases, and a resumed run may not change them") {
  const ValidatedGraph graph = LoadFake(InPhases(kTwo));
  CHECK(graph.resolved.At("phases").AsList().at(1).At("name").AsString() == "large");
  const auto fixed = [](const ValidatedGraph& of, const std::string& pointer) {
    for (const auto& [key, value] : of.fixed) {
      if (key == pointer) return value.ToJson();
    }
    return std::string("absent");
  };
  CHECK(fixed(graph, "/phases/0/epochs") == "3");
  CHECK(fixed(graph, "/phases/0/set/~1stages~1staging~1batch") == "32");
  CHECK(fixed(graph, "/phases/1/set/~1stages~1net~1lr") == "1e-04");
  CHECK(graph.phases[1].graph.fixed == graph.fixed);
  CHECK(LoadFake(GraphText().str()).resolved.Find("phases") == nullptr);
}

TEST_CASE("a phase's name can stand in its checkpoint's") {
  for (const std::string bad : {"", "a b", "a/b", "../a", "é", "a\\n"}) {
    CAPTURE(bad);
    CHECK(Has(FaultsOf(InPhases(R"([{"name": ")" + bad + R"(", "epochs": 1}])")), "/phases/0/name",
              "letters, digits"));
  }
  const std::string longest(94, 'a');
  CHECK(LoadFake(InPhases(R"([{"name": ")" + longest + R"(", "epochs": 1}])")).phases[0].name == longest);
  CHECK(Has(FaultsOf(InPhases(R"([{"name": "b)" + longest + R"(", "epochs": 1}])")), "/phases/0/name",
            "1 to 94"));
}

TEST_CASE("a phase's epochs may be written as 2.0, and have a limit") {
  CHECK(LoadFake(InPhases(R"([{"name": "a", "epochs": 2.0}])")).phases[0].epochs == 2);
  for (const char* bad : {"2.5", "1e300", "9223372036854775807", "true"}) {
    CAPTURE(bad);
    CHECK(Has(FaultsOf(InPhases(std::string(R"([{"name": "a", "epochs": )") + bad + "}]")),
              "/phases/0/epochs", "expected an integer from 1 to 2147483648"));
  }
}

TEST_CASE("--set reaches into a phase") {
  LoadOptions options;
  options.sets = {"/phases/0/epochs=1"};
  CHECK(LoadFake(InPhases(kTwo), options).phases[0].epochs == 1);
}

TEST_CASE("every fault of every phase is named at once") {
  const std::vector<std::string> faults = FaultsOf(InPhases(R"([
    {"name": "a", "epochs": 0},
    {"name": "a", "epochs": 1, "sett": {}},
    {"epochs": 1, "set": {"/stages/augment/size": [0, 64]}},
    {"name": "d", "epochs": 1, "set": {"/stages/staging/batsh": 4, "/seed": 3, "/stages/files/type": "x",
                                       "/stages/net/model/backbone": "base"}}])"));
  CHECK(Has(faults, "/phases/0/epochs", "expected an integer from 1 to 2147483648, found"));
  CHECK(Has(faults, "/phases/1/name", "another phase is named \"a\" too"));
  CHECK(Has(faults, "/phases/1/sett", "did you mean \"set\"?"));
  CHECK(Has(faults, "/phases/2", "\"name\" is missing"));
  CHECK(Has(faults, "/stages/augment/size/0", "in phase \"phase-3\": "));
  CHECK(Has(faults, "/stages/staging/batsh", "in phase \"d\": "));
  CHECK(Has(faults, "/phases/3/set/~1seed", "in phase \"d\": a phase sets parameters of stages"));
  CHECK(Has(faults, "/phases/3/set/~1stages~1files~1type", "a phase sets parameters of stages"));
  CHECK(Has(faults, "/phases/3/set/~1stages~1net~1model~1backbone",
            "in phase \"d\": can't change from phase to phase: the stage lives through all of them with \"small\""));
  CHECK(faults.size() == 9);
}

TEST_CASE("a fault of the graph itself is not told again for each phase") {
  GraphText text;
  text.staging = R"("batch": -1)";
  text.after = R"("phases": [{"name": "a", "epochs": 1}, {"name": "b", "epochs": 1}])";
  CHECK(FaultsOf(text.str()).size() == 1);
}

TEST_CASE("phases that are no list, or an empty one, are refused") {
  CHECK(Has(FaultsOf(InPhases("{}")), "/phases", "expected a list of phases"));
  CHECK(Has(FaultsOf(InPhases("[]")), "/phases", "the list is empty: expected one phase or more"));
}

}  // namespace flowtrain::config
