// The registry: one owner a type, and all or none of a plugin.
#include "pipeline/plugin/registry.h"

#include <doctest/doctest.h>
#include <flowtrain/stage.h>

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

TEST_CASE("nobody registers outside of a plugin's turn") {
  Registry registry;
  CHECK_THROWS_AS(registry.Register(Consumer("a.x")), Error);
}

}  // namespace flowtrain::plugin
