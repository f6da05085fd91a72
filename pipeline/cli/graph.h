// `flowtrain graph FILE`: draws a graph in Graphviz' DOT language.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

#include "pipeline/cli/graph_options.h"

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddGraph(CLI::App& app, int& exit_code);

// 0, or 2 with every fault on `err`.
int Graph(const GraphOptions& options, std::ostream& out, std::ostream& err);

}  // namespace flowtrain::cli
