// A graph as DOT: stages with their ports, edges, and every pool of tokens with its size. Pure
// printing.
#pragma once

#include <ostream>

#include "pipeline/config/validated_graph.h"

namespace flowtrain::cli {

void PrintDot(const config::ValidatedGraph& graph, std::ostream& out);

}  // namespace flowtrain::cli
