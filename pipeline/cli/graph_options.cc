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
}

config::LoadOptions GraphOptions::load_options() const {
  config::LoadOptions options;
  options.sets = sets;
  if (!profile.empty()) options.profile = profile;
  return options;
}

}  // namespace flowtrain::cli
