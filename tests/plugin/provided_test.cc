// What a plugin provides: found by interface and name, made once, and missed with reasons.
#include <doctest/doctest.h>
#include <flowtrain/stage.h>
#include <flowtrain/testing/declarations.h>
#include <flowtrain/testing/made_stage.h>

#include <filesystem>

#include "pipeline/plugin/loader.h"
#include "plugin/plugins/thing.h"
#include "plugin/test_plugins.h"

namespace flowtrain::plugin {
namespace {

struct Fixture {
  explicit Fixture(std::vector<std::filesystem::path> folders) : loader(registry, std::move(folders)) {}
  const Thing& Find(const std::string& name, const std::string& interface = Thing::kInterface) {
    return *static_cast<const Thing*>(MakeProvidedLookup(loader)(interface, name));
  }
  std::string Missed(const std::string& name, const std::string& interface = Thing::kInterface) {
    try {
      Find(name, interface);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  Registry registry;
  Loader loader;
};

struct Mine final : Thing {
  int Number() const override { return 3; }
};

void ProvideMine(Registrar& r, const std::string& name) {
  r.Provide<Thing>(name, std::make_shared<Mine>());
}

}  // namespace

TEST_CASE("a thing that is looked up opens the plugin that provides it") {
  Fixture fixture({kProvided});
  CHECK(fixture.registry.provided().empty());
  CHECK(fixture.Find("provider.seven").Number() == 7);
  CHECK(fixture.registry.provided().size() == 4);
  CHECK(fixture.registry.stages().empty());
}

TEST_CASE("a thing is made when it is first looked up, and once") {
  Fixture fixture({kProvided});
  const Thing& first = fixture.Find("provider.made");
  const int number = first.Number();
  CHECK(&fixture.Find("provider.made") == &first);
  CHECK(fixture.Find("provider.made").Number() == number);
}

TEST_CASE("what was provided outlives the registry it came from") {
  std::weak_ptr<Thing> alive;
  const Thing* thing = nullptr;
  {
    Registry registry;
    const auto mine = std::make_shared<Mine>();
    alive = mine;
    registry.Add({"a", "1", "/a"}, [&](Registrar& r) { r.Provide<Thing>("a.mine", mine); });
    thing = static_cast<const Thing*>(registry.FindProvided(Thing::kInterface, "a.mine"));
  }
  REQUIRE_FALSE(alive.expired());
  CHECK(thing->Number() == 3);
}

TEST_CASE("a missing thing is told the interface, the names there are and the plugins loaded") {
  Fixture fixture({kProvided});
  const std::string missed = fixture.Missed("provider.sevn");
  CHECK(Holds(missed, "nothing provides \"provider.sevn\" as tests.Thing/1"));
  CHECK(Holds(missed, "did you mean \"provider.seven\"?"));
  CHECK(Holds(missed, "\"provider.made\""));
  CHECK(Holds(missed, "plugins loaded: "));
  CHECK(Holds(missed, "\"seeker\""));
}

TEST_CASE("a thing whose plugin is not there is told the folders searched") {
  Fixture fixture({"/no/such/folder", kProvided});
  const std::string missed = fixture.Missed("absent.seven");
  CHECK(Holds(missed, "there is no plugin \"absent\" (libflowtrain_absent.so); searched "
                      "/no/such/folder (no such folder), " + kProvided.string() + " (has "));
  CHECK(Holds(missed, "\"provider\""));
}

TEST_CASE("whether a thing can be there is known without opening its plugin") {
  Fixture fixture({kProvided});
  const auto why = [&](const std::string& name) { return fixture.loader.WhyNotProvided(Thing::kInterface, name); };
  CHECK(why("provider.seven").empty());
  CHECK(why("provider.sevn").empty());
  CHECK(fixture.registry.provided().empty());
  CHECK(Holds(why("absent.seven"), "nothing provides \"absent.seven\" as tests.Thing/1"));
  CHECK(Holds(why("absent.seven"), "there is no plugin \"absent\" (libflowtrain_absent.so); searched "));
  // That opened all there are.
  CHECK(why("provider.seven").empty());
  CHECK(Holds(why("provider.sevn"), "did you mean \"provider.seven\"?"));
}

TEST_CASE("a thing whose plugin was refused is told the reason") {
  Fixture fixture({kOne});
  CHECK(Holds(fixture.Missed("throws.thing"), "was refused: no licence found"));
}

TEST_CASE("another version of the interface is another interface") {
  Fixture fixture({kProvided});
  const std::string missed = fixture.Missed("provider.seven", "tests.Thing/2");
  CHECK(Holds(missed, "nothing provides \"provider.seven\" as tests.Thing/2; nothing at all"));
  CHECK(Holds(missed, "the plugin provides it as \"tests.Thing/1\""));
}

TEST_CASE("what a provider throws, or does not give, reaches the stage that asked") {
  Fixture fixture({kProvided});
  CHECK(fixture.Missed("provider.throws") ==
        "the plugin \"provider\" (" + (kProvided / "libflowtrain_provider.so").string() +
            ") failed to make \"provider.throws\": no licence found");
  CHECK(fixture.Missed("provider.none") == "the plugin \"provider\" gave nothing for \"provider.none\"");
}

TEST_CASE("a provided thing is named after its plugin, once an interface, and only while it loads") {
  Registry registry;
  CHECK_THROWS_WITH_AS(
      registry.Add({"a", "1", "/a"}, [](Registrar& r) { ProvideMine(r, "b.mine"); }),
      "\"b.mine\", which is provided, is not named a.<thing>", Error);
  CHECK_THROWS_WITH_AS(registry.Add({"a", "1", "/a"},
                                    [](Registrar& r) {
                                      ProvideMine(r, "a.mine");
                                      ProvideMine(r, "a.mine");
                                    }),
                       "\"a.mine\" is provided twice as tests.Thing/1", Error);
  CHECK(registry.provided().empty());  // none of a plugin that threw
  CHECK_THROWS_AS(ProvideMine(registry, "a.mine"), Error);
}

TEST_CASE("the stage test runner lets a stage find what the test, or a plugin, provides") {
  const auto seeker = testing::LoadPlugin(kProvided / "libflowtrain_seeker.so");
  const StageDeclaration& count = seeker.Find("seeker.count");
  testing::TestOpenContext open;
  CHECK_THROWS_WITH_AS(
      testing::MakeStage(count, Value(Value::Object{{"thing", "test.mine"}}), open),
      "nothing provides \"test.mine\" as tests.Thing/1; this test provides nothing", Error);
  open.Provide<Thing>("test.mine", std::make_shared<Mine>());
  const auto three =
      testing::Make<Source>(count, Value(Value::Object{{"thing", "test.mine"}}), open);
  CHECK(three->Size() == 3);
  open.provisions = testing::LoadPlugin(kProvided / "libflowtrain_provider.so").provisions;
  const auto seven =
      testing::Make<Source>(count, Value(Value::Object{{"thing", "provider.seven"}}), open);
  CHECK(seven->Size() == 7);
}

}  // namespace flowtrain::plugin
