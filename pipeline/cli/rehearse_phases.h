// A look ahead at a graph's later phases, before hours of the first: their stages refuse parameters only
// when they are made and opened. Main thread, before the run begins.
#pragma once

#include <flowtrain/context.h>

#include <functional>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/run_host.h"

namespace flowtrain::cli {

// Makes every stage with the parameters that a phase gives it, and opens and closes sources and transforms
// (batch stages need what arrives at them): once for each set of parameters, none where the graph has no
// phases. Throws OpenRefused, naming the phase; Cancelled where `stopped`, OpenAbandoned where a stage then
// does not return within a second.
void RehearsePhases(const config::ValidatedGraph& graph, graph::RunHost& host,
                    const ProvidedLookup& find, const std::function<bool()>& stopped);

}  // namespace flowtrain::cli
