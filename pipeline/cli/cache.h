// `flowtrain cache fill GRAPH`: copies what a run will read to the local cache before it starts.
#pragma once

#include <CLI/CLI.hpp>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`: 0; 1 where reading failed, or not all could be kept; 2 for a graph that is
// wrong or has no cache on disk; 130 and the like after a signal.
void AddCache(CLI::App& app, int& exit_code);

}  // namespace flowtrain::cli
