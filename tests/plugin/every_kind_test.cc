// A plugin's parameters of every kind: declared in its library, checked here, bound in its library.
#include <doctest/doctest.h>
#include <flowtrain/stage.h>
#include <flowtrain/testing/made_stage.h>

#include <filesystem>

#include "pipeline/config/check_params.h"
#include "pipeline/config/json_text.h"
#include "pipeline/plugin/loader.h"
#include "plugin/test_plugins.h"

namespace flowtrain::plugin {
namespace {

// What the plugin's stage says it was given.
std::string Bound(const std::string& json) {
  Registry registry;
  Loader loader(registry, {kProvided});
  std::vector<std::string> known;
  std::string why;
  const StageDeclaration* declaration = loader.Find("every_kind.report", known, why);
  REQUIRE(declaration != nullptr);
  config::Faults faults("test");
  const Value given = config::ParseJson(json, faults).value();
  const Value params = config::CheckParams(declaration->params, given, "", {}, faults);
  faults.ThrowIfAny();
  const auto stage = declaration->create(params);
  testing::TestOpenContext open;
  try {
    stage->Open(open);
  } catch (const testing::Refused& refused) {
    return refused.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a parameter of every kind reaches a plugin's stage") {
  CHECK(Bound(R"({
    "flag": true, "integer": -3, "number": 0.25, "text": "a b", "choice": "fast",
    "path": "/some/where", "bytes": "2 KiB", "duration": "250 ms", "maybe": 5, "maybe_time": "2 min",
    "size": [3, 4], "names": ["x", "y"],
    "weights": {"u": 1.5, "v": 2},
    "outer": {"inner": {"most": "1 MiB", "steps": [4, 5]}, "on": true},
    "shape": {"shape": "disc", "radius": 2.5},
    "shapes": [{"shape": "square", "side": 2}, {"shape": "disc", "radius": 0.5}]})") ==
        "yes|-3|0.25|a b|fast|/some/where|2048|0.250|5|120.0|3x4|x|y|u1.5|v2.0|1048576|4|5|on|disc 2.50|"
        "square 2|disc 0.50");
}

TEST_CASE("a plugin's stage gets its own defaults for what a graph leaves out") {
  CHECK(Bound("{}") == "no|1|0.50|none|slow|here|1024|1.000|-|3.000|1x2|64|1|off|square 1");
  CHECK(Bound(R"({"maybe_time": null, "outer": {"inner": {"steps": []}}})") ==
        "no|1|0.50|none|slow|here|1024|1.000|-|-|1x2|64|off|square 1");
}

TEST_CASE("what a plugin declares bounds what its stage is given") {
  CHECK_THROWS_AS(Bound(R"({"integer": 10})"), config::GraphError);
  CHECK_THROWS_AS(Bound(R"({"outer": {"inner": {"steps": [51]}}})"), config::GraphError);
  CHECK_THROWS_AS(Bound(R"({"shapes": [{"shape": "star"}]})"), config::GraphError);
  CHECK_THROWS_AS(Bound(R"({"names": ["a", "b", "c", "d"]})"), config::GraphError);
}

}  // namespace flowtrain::plugin
