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

struct GraphOptions {
  std::string file;
  std::vector<std::string> sets;  // in order; --seed, --threads and --out are among them
  std::string profile;  // empty: profiles apply by themselves
  std::vector<std::string> plugin_paths;

  void AddTo(CLI::App& command);
  config::LoadOptions load_options() const;
};

}  // namespace flowtrain::cli
