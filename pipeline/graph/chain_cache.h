// The cache that a chain's source is to have by the graph.
#pragma once

#include <optional>
#include <string>

#include "pipeline/config/validated_graph.h"
#include "pipeline/graph/run_parts.h"
#include "pipeline/storage/reads.h"

namespace flowtrain::graph {

// Null: none. `file`: the graph's, for errors. Throws OpenRefused.
storage::Cache* CacheOf(RunParts& run, const std::string& file, const config::Chain& chain);
// With the series that count its hits. `cache` may be null.
std::optional<storage::Cached> Counted(RunParts& run, const config::Chain& chain, storage::Cache* cache,
                                       std::atomic<uint64_t>* unkept = nullptr);

}  // namespace flowtrain::graph
