#include "pipeline/cli/graph_options.h"

namespace flowtrain::cli {

void AddPluginPath(CLI::App& command, std::vector<std::string>& plugin_paths) {
  command
      .add_option("--plugin-path", plugin_paths,
                  "A folder with plugins, searched before FLOWTRAIN_PLUGIN_PATH and the program's "
                  "own; may be repeated.")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
}

void GraphOptions::AddTo(CLI::App& command) {
  command.add_option("file", file, "The graph file.")->required()->type_name("FILE");
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
