// The graph written out again, complete, and the part of it that a resumed run must not change.
// Main thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pipeline/config/links.h"

namespace flowtrain::config {

// A graph file's content with every default in it; loading it gives the same graph again.
Value Resolved(const ValidatedGraph& graph, const std::vector<StageEntry>& entries,
               const std::vector<Link>& links, const Value& metrics, const Value& run);

// Sets graph.fixed: the seed, the edges, every stage's type, and the parameters that affect data or
// training; which of them have their default, and which are paths of a source.
void SetFixed(const std::vector<StageEntry>& entries, const std::vector<Link>& links,
              ValidatedGraph& graph);

}  // namespace flowtrain::config
