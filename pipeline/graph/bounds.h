// How large the pools are that a graph file leaves open. Pure; for the executor, and for whoever
// draws a graph.
#pragma once

#include <algorithm>

#include "pipeline/config/validated_graph.h"

namespace flowtrain::graph {

// Of a bare loop's speed, with 1 and 2 workers: 1 token .990/1.002, 2 .988/1.003, 4 .975/.994.
constexpr int kTokensAWorker = 2;
// Twice the I/O threads, but not less: once loses 10%, four times gains nothing.
constexpr int kLeastReadAhead = 16;
// Batches that wait for an observer; others pass it by.
constexpr int kLossyQueue = 1;

// Samples read ahead of decoding.
inline int ReadAheadOf(const config::SourceParams& params) {
  return params.read_ahead > 0 ? params.read_ahead
                               : std::max(kLeastReadAhead, 2 * params.io_threads);
}

// Outputs of a batch transform that are alive at once.
inline int ResidentsOf(const config::StageNode& batch_transform) {
  constexpr int kUsual = 2;
  const StageDeclaration& declaration = *batch_transform.declaration;
  return declaration.residents ? declaration.residents(batch_transform.params) : kUsual;
}

}  // namespace flowtrain::graph
