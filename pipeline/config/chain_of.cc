#include "pipeline/config/chain_of.h"

#include <flowtrain/error.h>

namespace flowtrain::config {

const Chain& ChainOf(const ValidatedGraph& graph, const std::string& stage) {
  for (const Chain& chain : graph.chains) {
    if (chain.staging == stage) return chain;
  }
  for (const BatchEdge& edge : graph.batch_edges) {
    if (edge.to == stage) return ChainOf(graph, edge.from);
  }
  throw Error("nothing arrives at " + stage);
}

}  // namespace flowtrain::config
