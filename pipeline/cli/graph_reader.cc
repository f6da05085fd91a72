#include "pipeline/cli/graph_reader.h"

#include "pipeline/config/chain_of.h"

namespace flowtrain::cli {
namespace {

GraphInput InputOf(const config::ValidatedGraph& graph, const config::BatchEdge& edge) {
  const config::Chain& chain = config::ChainOf(graph, edge.from);
  GraphInput input{edge.port, chain.staging_params.batch, {}};
  for (const config::RowTensor& row : chain.rows)
    input.tensors.push_back({row.name, row.dtype, row.shape});
  return input;
}

std::vector<GraphStage> StagesOf(const config::ValidatedGraph& graph) {
  std::vector<GraphStage> stages;
  const auto add = [&](const config::StageNode& node) {
    stages.push_back({node.name, node.declaration->type, node.pointer, node.params, {}});
  };
  for (const config::Chain& chain : graph.chains) {
    for (const config::UpstreamNode& upstream : chain.upstream) add(upstream.node);
    add(chain.source);
    for (const config::StageNode& transform : chain.transforms) add(transform);
  }
  for (const config::StageNode& transform : graph.batch_transforms) add(transform);
  for (const config::StageNode& consumer : graph.consumers) {
    add(consumer);
    for (const config::BatchEdge& edge : graph.batch_edges) {
      if (edge.to == consumer.name) stages.back().inputs.push_back(InputOf(graph, edge));
    }
  }
  return stages;
}

}  // namespace

GraphView ViewOf(const config::ValidatedGraph& graph) {
  GraphView view{graph.name, graph.file, graph.profile, graph.profile_why, StagesOf(graph), {}};
  for (const config::Phase& phase : graph.phases)
    view.phases.push_back({phase.name, phase.epochs, StagesOf(phase.graph)});
  return view;
}

GraphView FileGraphReader::Read(const std::string& file) {
  if (const std::string missing = MissingGraph(file); !missing.empty())
    throw config::GraphError({{file, "", missing}});
  const config::ValidatedGraph graph =
      config::Load(file, options_, plugin::MakeLookup(loader_));
  for (const std::string& note : graph.notes) err_ << "warning: " << note << '\n';
  return ViewOf(graph);
}

}  // namespace flowtrain::cli
