// Plugins: opened because a type names them; one at fault is refused with its reason, and the rest
// go on.
#include "pipeline/plugin/loader.h"

#include <doctest/doctest.h>
#include <flowtrain/stage.h>

#include <filesystem>
#include <fstream>

#include "support/scratch_folder.h"
#include "plugin/test_plugins.h"

namespace flowtrain::plugin {
namespace {

// The reason for which `plugin` is refused; empty where it loads.
std::string Refused(const std::string& plugin, const std::filesystem::path& folder = kOne) {
  Registry registry;
  Loader loader(registry, {folder});
  if (loader.Load(plugin)) return "";
  CHECK(registry.stages().empty());
  REQUIRE(loader.refused().size() == 1);
  CHECK(loader.refused()[0].plugin == plugin);
  CHECK(loader.refused()[0].path == (folder / ("libflowtrain_" + plugin + ".so")).string());
  return loader.refused()[0].reason;
}

}  // namespace

TEST_CASE("a type opens its plugin, and its stage can be made") {
  Registry registry;
  Loader loader(registry, {"/no/such/folder", kOne});
  std::vector<std::string> known;
  std::string why;
  const StageDeclaration* declaration = loader.Find("good.count", known, why);
  REQUIRE(declaration != nullptr);
  CHECK(declaration->kind == StageKind::kSource);
  CHECK(registry.Find("good.count")->plugin.version == "1.5");
  const auto stage = declaration->create(Value(Value::Object{{"size", 7}}));
  CHECK(dynamic_cast<Source&>(*stage).Size() == 7);  // type information is one across the boundary
  CHECK(loader.Find("good.count", known, why) == declaration);
  CHECK(loader.refused().empty());
}

TEST_CASE("the first folder that has a plugin is where it comes from") {
  Registry registry;
  Loader loader(registry, {kTwo, kOne});
  CHECK(loader.Load("good"));
  CHECK(registry.Find("good.count") == nullptr);  // the other version has no stages
}

TEST_CASE("a plugin of another ABI is refused") {
  const std::string reason = Refused("abi");
  CHECK(reason == "it was built for plugin ABI " + std::to_string(kAbiVersion + 1) +
                      ", this program has " + std::to_string(kAbiVersion) + ": build it again");
}

TEST_CASE("a descriptor that isn't ours in size, magic, compiler or name is refused") {
  CHECK(Holds(Refused("size"), "its descriptor has 8 bytes"));
  CHECK(Holds(Refused("magic"), "is no plugin descriptor"));
  CHECK(Holds(Refused("tag"), "it was built with libc++, this program with libstdc++"));
  CHECK(Refused("renamed") ==
        "it calls itself \"other\"; its file should be libflowtrain_other.so");
}

TEST_CASE("a plugin that lacks a symbol is refused, and the symbol named") {
  CHECK(Holds(Refused("undefined"), "undefined symbol: FunctionThatNobodyHas"));
}

TEST_CASE("a plugin that throws while it registers is refused, and none of its stages stays") {
  CHECK(Refused("throws") == "no licence found");
  CHECK(Holds(Refused("throws_int"), "no std::exception"));
}

TEST_CASE(
    "a duplicate type, another plugin's type and a parameter of the framework's are refused") {
  CHECK(Holds(Refused("twice"),
              "the stage type \"twice.same\" is there already, from the plugin \"twice\""));
  CHECK(Refused("stray") == "the stage type \"good.stray\" is not named stray.<stage>");
  CHECK(Refused("reserved") ==
        "\"reserved.greedy\" declares the parameter \"io_threads\", which the framework has on "
        "every source");
}

TEST_CASE("a library that is no plugin is refused without being opened") {
  CHECK(Refused("plain") == "it is no plugin: it exports no \"flowtrain_plugin\"");
}

TEST_CASE("a file that is cut off, or no library, is refused") {
  const ScratchFolder scratch;
  std::filesystem::copy_file(kOne / "libflowtrain_good.so", scratch / "libflowtrain_good.so");
  std::filesystem::resize_file(scratch / "libflowtrain_good.so",
                               std::filesystem::file_size(kOne / "libflowtrain_good.so") / 2);
  CHECK(Refused("good", scratch.path()) == "the file is cut off");
  std::ofstream(scratch / "libflowtrain_text.so") << "hello";
  CHECK(Refused("text", scratch.path()) == "this is not a shared library");
}

TEST_CASE("an unknown plugin is told the folders searched and the plugins there") {
  Registry registry;
  Loader loader(registry, {kOne, "/no/such/folder"});
  std::vector<std::string> known;
  std::string why;
  CHECK(loader.Find("goood.count", known, why) == nullptr);
  CHECK(known == std::vector<std::string>{"good.count"});
  CHECK(Holds(why, "there is no plugin \"goood\" (libflowtrain_goood.so); searched " +
                       kOne.string() + " (has "));
  CHECK(Holds(why, "\"good\""));
  CHECK(Holds(why, "/no/such/folder (no such folder)"));
  CHECK_FALSE(Holds(why, "\"plain\""));  // it is no plugin
}

TEST_CASE("a refused plugin's type is told the reason, a loaded one's what it registers") {
  Registry registry;
  Loader loader(registry, {kOne});
  std::vector<std::string> known;
  std::string why;
  CHECK(loader.Find("throws.first", known, why) == nullptr);
  CHECK(Holds(why, "the plugin \"throws\" ("));
  CHECK(Holds(why, "was refused: no licence found"));
  CHECK(loader.Find("good.cuont", known, why) == nullptr);
  CHECK(why.empty());
  CHECK(loader.Find("good.blur", known, why) == nullptr);
  CHECK(why == "the plugin \"good\" registers \"good.count\" only: each of its stages needs an Add in its FLOWTRAIN_PLUGIN");
  CHECK(loader.Find("../one/libflowtrain_good.so", known, why) == nullptr);
}

TEST_CASE("one bad plugin keeps no other from being listed") {
  Registry registry;
  Loader loader(registry, {kOne});
  loader.LoadAll();
  CHECK(registry.Types() == std::vector<std::string>{"good.count"});
  std::vector<std::string> refused;
  for (const Refusal& refusal : loader.refused()) refused.push_back(refusal.plugin);
  CHECK(refused == std::vector<std::string>{"abi", "magic", "renamed", "reserved", "size", "stray",
                                            "tag", "throws", "throws_int", "twice", "undefined"});
}

TEST_CASE("a lookup is a loader's Find") {
  Registry registry;
  Loader loader(registry, {kOne});
  const config::Lookup lookup = MakeLookup(loader);
  std::vector<std::string> known;
  std::string why;
  CHECK(lookup.stage("good.count", known, why) != nullptr);
}

}  // namespace flowtrain::plugin
