// `flowtrain stages [TYPE]`: the stage types there are, the plugins that were refused, and one
// type's ports and parameters.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddStages(CLI::App& app, int& exit_code);

// `type` empty: all of them. 0, or 2 where there is no such type.
int Stages(const std::string& type, const std::vector<std::string>& plugin_paths, std::ostream& out,
           std::ostream& err);

}  // namespace flowtrain::cli
