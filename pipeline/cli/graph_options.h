// What every command that takes a graph file understands: FILE, --set, --profile, --plugin-path.
// Owned by its command; main thread.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "pipeline/config/graph_config.h"
#include "pipeline/plugin/loader.h"

namespace flowtrain::cli {

// --plugin-path alone, for commands without a graph.
void AddPluginPath(CLI::App& command, std::vector<std::string>& plugin_paths);

// Says that there is no such file, and where a graph that is not here may stand: in the install, or in
// the clone that the program was built in. Empty: it is there.
std::string MissingGraph(const std::string& file);

struct GraphOptions {
  std::string file;
  std::vector<std::string> sets;  // in order; --seed, --threads and --out are among them
  std::string profile;  // empty: profiles apply by themselves
  std::vector<std::string> plugin_paths;

  void AddTo(CLI::App& command);
  // --set and --profile alone.
  void AddSettingsTo(CLI::App& command);
  config::LoadOptions load_options() const;
};

}  // namespace flowtrain::cli
