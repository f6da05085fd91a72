#include "pipeline/cli/graph_options.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

namespace fs = std::filesystem;

std::string MissingFolder(const std::string& list) {
  std::error_code unseen;
  for (const fs::path& folder : plugin::FoldersIn(list)) {
    if (!fs::is_directory(folder, unseen)) return "there is no folder " + folder.string();
  }
  return "";
}

}  // namespace

std::string MissingGraph(const std::string& file) {
  std::error_code unseen;
  if (fs::exists(fs::symlink_status(file, unseen))) return "";
  std::string text = "there is no file " + fs::absolute(file, unseen).string();
  std::string name = fs::path(file).filename().string();
  if (!name.ends_with(".json")) name += ".json";
  std::vector<fs::path> places{fs::path(file + ".json")};
  const fs::path bin = fs::read_symlink("/proc/self/exe", unseen).parent_path();
  for (const char* graphs : {"../share/flowtrain/graphs", "../graphs", "graphs"})
    places.push_back((bin / graphs / name).lexically_normal());
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, unseen)) return text + "; did you mean " + place.string() + "?";
  }
  return text;
}

void AddPluginPath(CLI::App& command, std::vector<std::string>& plugin_paths) {
  command
      .add_option("--plugin-path", plugin_paths,
                  "A folder with plugins, searched before FLOWTRAIN_PLUGIN_PATH and the program's "
                  "own; may be repeated.")
      ->type_name("FOLDER")
      ->check(MissingFolder)
      ->allow_extra_args(false);
}

void GraphOptions::AddSettingsTo(CLI::App& command) {
  command
      .add_option(
          "--set", sets,
          "Sets a value of the graph, by JSON Pointer: /stages/staging/batch=16; may be repeated.")
      ->type_name("POINTER=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--profile", profile,
                  "Applies a profile of the graph; none: lets none apply by itself.")
      ->type_name("NAME");
}

void GraphOptions::AddTo(CLI::App& command) {
  command.add_option("file", file, "The graph file.")->required()->type_name("FILE")->check(MissingGraph);
  AddSettingsTo(command);
  AddPluginPath(command, plugin_paths);
  // Each maps to one override of the graph.
  const auto override_of = [&](const std::string& name, const std::string& pointer,
                               const std::string& help, const std::string& type) {
    const auto set = [this, name, pointer](const std::string& value) {
      if (value.empty()) throw CLI::ValidationError(name, "a value is missing");
      sets.push_back(pointer + "=" + value);
    };
    command.add_option_function<std::string>(name, set, help + " (--set " + pointer + ")")
        ->type_name(type)
        ->take_last();
  };
  override_of("--seed", "/seed", "The seed of everything random.", "N");
  override_of("--threads", "/run/threads", "Compute workers.", "N");
  override_of("--out", "/run/dir", "Where run folders are made.", "FOLDER");
}

config::LoadOptions GraphOptions::load_options() const {
  config::LoadOptions options;
  options.sets = sets;
  if (!profile.empty()) options.profile = profile;
  return options;
}

}  // namespace flowtrain::cli
