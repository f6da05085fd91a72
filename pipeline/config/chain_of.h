// Where a stage's batches come from.
#pragma once

#include <string>

#include "pipeline/config/validated_graph.h"

namespace flowtrain::config {

// The chain whose batches reach `stage` (a consumer: one input's), or come out of it (a staging, a batch
// transform). Throws Error where nothing arrives.
const Chain& ChainOf(const ValidatedGraph& graph, const std::string& stage);

}  // namespace flowtrain::config
