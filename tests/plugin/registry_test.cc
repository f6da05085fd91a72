// The registry: one owner a type, and all or none of a plugin.
#include "pipeline/plugin/registry.h"

#include <doctest/doctest.h>
#include <flowtrain/stage.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace flowtrain::plugin {
namespace {

StageDeclaration Consumer(const std::string& type,
                          std::vector<InputPort> inputs = {{"in", {}, false}}) {
  StageDeclaration declaration;
  declaration.type = type;
  declaration.kind = StageKind::kConsumer;
  declaration.inputs = std::move(inputs);
  return declaration;
}

void Add(Registry& registry, const std::string& plugin, StageDeclaration declaration) {
  registry.Add({plugin, "1", "/" + plugin}, [&](Registrar& r) { r.Register(declaration); });
}

}  // namespace

TEST_CASE("a type is found with its plugin, at an address that stays") {
  Registry registry;
  Add(registry, "a", Consumer("a.x"));
  const RegisteredStage* found = registry.Find("a.x");
  for (int i = 0; i < 100; ++i)
    Add(registry, "b" + std::to_string(i), Consumer("b" + std::to_string(i) + ".y"));
  CHECK(registry.Find("a.x") == found);
  CHECK(found->plugin.path == "/a");
  CHECK(registry.Find("a.y") == nullptr);
  CHECK(registry.Types().size() == 101);
}

TEST_CASE("a duplicate type names the plugin that has it, which keeps it") {
  Registry registry;
  Add(registry, "a", Consumer("a.x"));
  CHECK_THROWS_WITH_AS(
      registry.Add({"a", "2", "/other"}, [](Registrar& r) { r.Register(Consumer("a.x")); }),
      "the stage type \"a.x\" is there already, from the plugin \"a\" (/a)", Error);
  CHECK(registry.Find("a.x")->plugin.version == "1");
}

TEST_CASE("a type is named <plugin>.<stage>") {
  Registry registry;
  for (const char* wrong : {"x", "a.", ".x", "b.x", "a.x.y", ""})
    CHECK_THROWS_AS(Add(registry, "a", Consumer(wrong)), Error);
  CHECK(registry.stages().empty());
}

TEST_CASE("inputs are named, once each") {
  Registry registry;
  CHECK_THROWS_WITH_AS(Add(registry, "a", Consumer("a.x", {})), "\"a.x\" names no input", Error);
  CHECK_THROWS_WITH_AS(Add(registry, "a", Consumer("a.x", {{"in", {}, false}, {"in", {}, false}})),
                       "\"a.x\" names the input \"in\" twice", Error);
}

TEST_CASE("a parameter's old name is taken, too") {
  const auto with = [](const std::string& name, const std::string& old) {
    StageDeclaration declaration = Consumer("a.x");
    declaration.params.resize(2);
    declaration.params[0].name = "sigma";
    declaration.params[1].name = name;
    declaration.params[1].old_names.push_back({old, ""});
    return declaration;
  };
  Registry registry;
  CHECK_THROWS_WITH_AS(Add(registry, "a", with("b", "sigma")),
                       "\"a.x\" declares the parameter \"sigma\" twice", Error);
  CHECK_THROWS_WITH_AS(Add(registry, "a", with("b", "type")),
                       "\"a.x\" declares the parameter \"type\", which the framework has on every "
                       "consumer",
                       Error);
  CHECK_NOTHROW(Add(registry, "a", with("b", "std")));
}

namespace {

struct Inner {
  int side = 1;
  static void Declare(Fields<Inner>& f) { f.Param("side", &Inner::side, "").Range(1, 9); }
};
struct Needed {
  int least = 0;
  static void Declare(Fields<Needed>& f) { f.Param("least", &Needed::least, "").Min(1).Required(); }
};
struct Params {
  int count = 5;
  double share = 0.5;
  std::string mode = "slow";
  Bytes bytes{10};
  Duration time{0};
  std::vector<int> sizes{3, 12};
  Inner inner{12};
  Inner plain;
  Needed needed;
  std::optional<int> maybe;
};

// Why a stage that declares this is refused; empty: it is not.
std::string Refused(const std::function<void(Fields<Params>&)>& declare, const std::string& type = "a.x") {
  StageDeclaration declaration = Consumer(type);
  Fields<Params> fields(declaration.params);
  declare(fields);
  Registry registry;
  try {
    Add(registry, "a", declaration);
  } catch (const Error& error) {
    CHECK(registry.stages().empty());
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a default that its own declaration refuses is a fault, named with stage and parameter") {
  using F = Fields<Params>;
  CHECK(Refused([](F& f) { f.Param("count", &Params::count, "").Range(6, 10); }) ==
        "\"a.x\": the parameter \"count\" refuses its own default: 5 is out of range: expected an integer from 6 to 10");
  CHECK(Refused([](F& f) { f.Param("share", &Params::share, "").Above(0.5); }).find("\"share\" refuses its own default") != std::string::npos);
  CHECK(Refused([](F& f) { f.Param("mode", &Params::mode, "").Choices({"fast"}); }).find("\"slow\" is no choice") != std::string::npos);
  CHECK(Refused([](F& f) { f.Param("bytes", &Params::bytes, "").Min(11); }).find("\"bytes\" refuses") != std::string::npos);
  CHECK(Refused([](F& f) { f.Param("time", &Params::time, "").Above(0); }).find("\"time\" refuses") != std::string::npos);
  CHECK(Refused([](F& f) { f.Param("sizes", &Params::sizes, "").Range(0, 10); }).find("12 is out of range") != std::string::npos);
  CHECK(Refused([](F& f) { f.Param("sizes", &Params::sizes, "").Sizes(3, 4); }).find("found 2 elements") != std::string::npos);
  CHECK(Refused([](F& f) { f.Param("inner", &Params::inner, ""); }).find("\"inner\" has a field \"side\" that refuses its own default") != std::string::npos);
  CHECK(Refused([](F& f) {
          f.Param("count", &Params::count, "").Range(6, 10).Required();  // its default never stands in
          f.Param("share", &Params::share, "").Range(0.5, 0.5);
          f.Param("plain", &Params::plain, "");
          f.Param("needed", &Params::needed, "");
          f.Param("maybe", &Params::maybe, "").Min(3);
        }) == "");
}

TEST_CASE("a range the wrong way round is a fault of its declaration") {
  using F = Fields<Params>;
  CHECK(Refused([](F& f) { f.Param("count", &Params::count, "").Range(10, 0); }) ==
        "\"a.x\": the parameter \"count\" has a range from 10 to 0: the wrong way round");
  CHECK(Refused([](F& f) { f.Param("sizes", &Params::sizes, "").Sizes(3, 1); }).find("sizes from 3 to 1") != std::string::npos);
  CHECK(Refused([](F& f) { f.Param("mode", &Params::mode, "").Choices({}); }).find("has no choices") != std::string::npos);
}

TEST_CASE("names of stages, parameters and inputs are lower_snake") {
  using F = Fields<Params>;
  for (const char* bad : {"My P", "radius ", "myParam", "2nd", "", "a-b", "a/b", "_a"}) {
    CAPTURE(bad);
    const std::string rule = "is not lower_snake: a letter a-z first, then a-z, 0-9 and _";
    CHECK(Refused([bad](F& f) { f.Param(bad, &Params::count, ""); }) ==
          "\"a.x\": the parameter \"" + std::string(bad) + "\" " + rule);
    if (*bad != '\0') CHECK(Refused([](F&) {}, std::string("a.") + bad).find(rule) != std::string::npos);
    Registry registry;
    CHECK_THROWS_AS(Add(registry, "a", Consumer("a.x", {{bad, {}, false}})), Error);
  }
}

TEST_CASE("nobody registers outside of a plugin's turn") {
  Registry registry;
  CHECK_THROWS_AS(registry.Register(Consumer("a.x")), Error);
}

}  // namespace flowtrain::plugin
