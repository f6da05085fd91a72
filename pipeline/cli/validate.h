// `flowtrain validate FILE`: checks a graph and says what would flow, without opening a file of its
// data.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

#include "pipeline/cli/graph_options.h"

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddValidate(CLI::App& app, int& exit_code);

// 0, or 2 with every fault on `err`.
int Validate(const GraphOptions& options, std::ostream& out, std::ostream& err);

}  // namespace flowtrain::cli
