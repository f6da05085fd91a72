// `flowtrain run FILE`: runs a graph to its end.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "pipeline/cli/graph_options.h"

namespace flowtrain::cli {

struct RunOptions {
  GraphOptions graph;
  std::string resume;        // a run folder, a checkpoint, or "auto"; empty: a new run
  std::string batch_hashes;  // a file; empty: none
};

// Adds the command; its exit code goes to `exit_code`.
void AddRun(CLI::App& app, int& exit_code);

// 0 done, 1 the run failed, 2 a bad graph or usage, 130 / 143 interrupted.
int Run(const RunOptions& options);

}  // namespace flowtrain::cli
