// What shape a graph may have: samples form chains source -> transforms -> staging, batches a DAG.
// Main thread.
#pragma once

#include <vector>

#include "pipeline/config/links.h"

namespace flowtrain::config {

// A source that leads into another one, by index among the entries.
struct Upstream {
  size_t source = 0;
  size_t into = 0;
};

// source -> transforms -> staging, by index among the entries.
struct ChainPath {
  size_t source = 0;
  std::vector<Upstream> upstream;  // of the source, and of those; each before the one it leads into
  std::vector<size_t> transforms;
  size_t staging = 0;
};

// Finds what is unconnected, doubly connected or circular. Returns the complete chains.
std::vector<ChainPath> CheckTopology(const std::vector<StageEntry>& entries, const Links& links,
                                     Faults& faults);

}  // namespace flowtrain::config
