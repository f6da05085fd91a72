// `flowtrain schema`: a JSON Schema of graph files, for editors and other checkers.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddSchema(CLI::App& app, int& exit_code);

// Of every stage that can be found; the plugins that were refused are named on `err`. Returns 0.
int Schema(const std::vector<std::string>& plugin_paths, std::ostream& out, std::ostream& err);

}  // namespace flowtrain::cli
