// `flowtrain stages`: the stage types there are, and the plugins that were refused.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddStages(CLI::App& app, int& exit_code);

// Returns 0.
int Stages(const std::vector<std::string>& plugin_paths, std::ostream& out);

}  // namespace flowtrain::cli
