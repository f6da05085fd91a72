// Which checkpoint `flowtrain run --resume` goes on from. Main thread, before the run.
#pragma once

#include <optional>
#include <string>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/run_host.h"
#include "pipeline/run/checkpoint.h"

namespace flowtrain::cli {

// `resume`: a run folder, a checkpoint, or "auto"; empty: a new run. "auto" takes the newest run of
// this graph that it can go on from, says of each newer one why not, and is a new run where there is
// none. Nothing: a new run. Throws Error, and OpenRefused where the checkpoint that was named does
// not fit the graph.
std::optional<run::LoadedCheckpoint> FindCheckpoint(const std::string& resume,
                                                    const config::ValidatedGraph& graph,
                                                    graph::RunHost& host);

}  // namespace flowtrain::cli
