// Profiles and --set: file -> profile -> --set -> substitution.
#include <doctest/doctest.h>

#include "config/fakes.h"

namespace flowtrain::config {
namespace {

GraphText Demo() {
  GraphText text;
  text.top = R"("name": "g",)";
  text.files = R"("root": "${ROOT}")";
  text.after = R"("profiles": {
    "demo": {"when_unset": "ROOT", "why": "no data set", "set": {"/stages/files/root": "builtin:x", "/stages/staging/batch": 2}},
    "small": {"set": {"/stages/staging/batch": 3}}})";
  return text;
}

ValidatedGraph LoadWith(const GraphText& text, std::vector<std::string> sets,
                        std::optional<std::string> profile, const Variables& variables = {}) {
  LoadOptions options;
  options.sets = std::move(sets);
  options.profile = std::move(profile);
  return LoadFake(text.str(), options, variables);
}

std::vector<std::string> FaultsWith(const GraphText& text, std::vector<std::string> sets,
                                    std::optional<std::string> profile = {}) {
  LoadOptions options;
  options.sets = std::move(sets);
  options.profile = std::move(profile);
  return FaultsOf(text.str(), options);
}

std::string Root(const ValidatedGraph& graph) {
  return graph.chains.at(0).source.params.At("root").AsString();
}
int BatchOf(const ValidatedGraph& graph) { return graph.chains.at(0).staging_params.batch; }

}  // namespace

TEST_CASE("a when_unset profile fires by itself, names the graph and says why") {
  const ValidatedGraph graph = LoadWith(Demo(), {}, {});
  CHECK(Root(graph) == "builtin:x");
  CHECK(BatchOf(graph) == 2);
  CHECK(graph.name == "g-demo");
  CHECK(graph.profile == "demo");
  CHECK(graph.profile_why == "no data set");
  CHECK(LoadWith(Demo(), {}, {}, {{"ROOT", ""}}).profile == "demo");
}

TEST_CASE("it stays off where the variable is set, or --set has replaced what refers to it") {
  const ValidatedGraph set = LoadWith(Demo(), {}, {}, {{"ROOT", "/mine"}});
  CHECK(Root(set) == "/mine");
  CHECK(set.name == "g");
  CHECK(set.profile.empty());
  const ValidatedGraph replaced = LoadWith(Demo(), {"/stages/files/root=/other"}, {});
  CHECK(Root(replaced) == "/other");
  CHECK(BatchOf(replaced) == 8);
  CHECK(replaced.profile.empty());
}

TEST_CASE("--set goes over a profile") {
  const ValidatedGraph graph = LoadWith(Demo(), {"/stages/staging/batch=16"}, {});
  CHECK(BatchOf(graph) == 16);
  CHECK(Root(graph) == "builtin:x");
  CHECK(graph.name == "g-demo");
}

TEST_CASE("--profile NAME applies that one only; none applies none") {
  const ValidatedGraph small = LoadWith(Demo(), {}, "small", {{"ROOT", "/mine"}});
  CHECK(BatchOf(small) == 3);
  CHECK(small.name == "g-small");
  CHECK(small.profile_why.empty());
  const ValidatedGraph demo = LoadWith(Demo(), {}, "demo", {{"ROOT", "/mine"}});
  CHECK(Root(demo) == "builtin:x");
  CHECK(FaultsWith(Demo(), {}, "none") ==
        std::vector<std::string>{"/stages/files/root: the environment variable ROOT is unset or "
                                 "empty; set it, or write ${ROOT:-default}"});
}

TEST_CASE("an unknown profile is told the nearest") {
  CHECK(Has(FaultsWith(Demo(), {}, "dmeo"), "dmeo",
            "the graph has no such profile, did you mean \"demo\"? Allowed: \"none\", \"demo\", "
            "\"small\""));
}

TEST_CASE("a profile's own faults have their place") {
  GraphText text = Demo();
  text.after =
      R"("profiles": {"demo": {"when_unset": "ROOT", "way": "", "set": {"/stages/fils/root": "x", "/stages/files/root": "y"}}, "p": 3, "q": {"set": []}})";
  const auto faults = FaultsOf(text.str());
  CHECK(faults.size() == 4);
  CHECK(Has(faults, "/profiles/demo/way", "unknown key \"way\", did you mean \"why\"?"));
  CHECK(Has(faults, "/profiles/demo/set/~1stages~1fils~1root",
            "there is no stage \"fils\", did you mean \"files\"?"));
  CHECK(Has(faults, "/profiles/p", "expected an object"));
  CHECK(Has(faults, "/profiles/q/set", "expected an object of JSON Pointers and values"));
}

TEST_CASE("a profile that is not applied is not substituted") {
  GraphText text = Demo();
  text.after = R"("profiles": {"other": {"set": {"/stages/files/root": "${NOT_SET}"}}})";
  CHECK(FaultsOf(text.str(), {}, {{"ROOT", "/mine"}}).empty());
}

TEST_CASE("--set takes JSON, or else a bare string, and makes what is missing on the way") {
  GraphText text;
  const ValidatedGraph graph =
      LoadWith(text,
               {"/stages/augment/size=[16, 24]", "/stages/augment/mode=careful",
                "/stages/files/sampler/shuffle=true", "/run/keep=9", "/stages/augment/ops=[]",
                "/stages/augment/ops/-={\"op\": \"flip\"}", "/stages/augment/ops/0/p=0.25",
                "/stages/augment/size/1=48", "/stages/files/root=a=b", "/seed=7"},
               {});
  CHECK(graph.chains[0].rows[0].shape == std::vector<int64_t>{16, 48, 3});
  CHECK(graph.chains[0].transforms[1].params.At("mode") == Value("careful"));
  CHECK(graph.chains[0].transforms[1].params.At("ops").ToJson() == R"([{"op":"flip","p":0.25}])");
  CHECK(graph.chains[0].source_params.sampler.shuffle);
  CHECK(graph.run.keep == 9);
  CHECK(graph.seed == 7);
  CHECK(Root(graph) == "a=b");
}

TEST_CASE("an index of a list has no leading zero") {
  LoadOptions options;
  options.sets = {"/edges/00=a -> b"};
  const auto faults = FaultsOf(GraphText().str(), options);
  REQUIRE(!faults.empty());
  CHECK(faults.back().find("\"00\" is no index of this list") != std::string::npos);
}

TEST_CASE("a --set that leads nowhere is a fault of the command line") {
  LoadOptions options;
  options.sets = {"/stages/stagin/batch=4"};
  CHECK_THROWS_WITH_AS(LoadFake(GraphText().str(), options),
                       "--set: /stages/stagin/batch: there is no stage \"stagin\", did you mean "
                       "\"staging\"? Allowed: \"files\", \"decode\", \"augment\", "
                       "\"staging\", \"net\"",
                       GraphError);
  CHECK(Has(FaultsWith({}, {"/stagse/x/y=4"}), "/stagse/x/y",
            "there is no section \"stagse\", did you mean \"stages\"?"));
  CHECK(Has(FaultsWith({}, {"stages/x=4"}), "stages/x", "is no JSON Pointer"));
  CHECK(Has(FaultsWith({}, {"/seed"}), "/seed", "has no \"=\""));
  CHECK(Has(FaultsWith({}, {"/seed/x=1"}), "/seed/x", "\"x\" can't be set inside an integer"));
  CHECK(Has(FaultsWith({}, {"/stages/augment/size/7=1"}), "/stages/augment/size/7",
            "\"7\" is no index of this list; allowed: 0 to 2"));
  // One that leads to a known place with a wrong value is a fault of that place.
  CHECK(Has(FaultsWith({}, {"/stages/staging/batch=no"}), "/stages/staging/batch", "found \"no\""));
}

}  // namespace flowtrain::config
