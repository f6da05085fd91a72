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

// Whether nothing but observers reads what `stage` gives out, or `stage` is one itself.
inline bool OnlyObserved(const config::ValidatedGraph& graph, const std::string& stage) {
  for (const config::StageNode& consumer : graph.consumers) {
    if (consumer.name == stage) return consumer.declaration->observer;
  }
  return std::all_of(graph.batch_edges.begin(), graph.batch_edges.end(), [&](const auto& edge) {
    return edge.from != stage || OnlyObserved(graph, edge.to);
  });
}

// Beside another reader an observer misses what it has no time for; alone it holds nobody up.
inline bool IsLossy(const config::ValidatedGraph& graph, const config::BatchEdge& edge) {
  return OnlyObserved(graph, edge.to) && !OnlyObserved(graph, edge.from);
}

}  // namespace flowtrain::graph
