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

void Add(const config::StageNode& node, GraphView& view) {
  view.stages.push_back({node.name, node.declaration->type, node.pointer, node.params, {}});
}

}  // namespace

GraphView ViewOf(const config::ValidatedGraph& graph) {
  GraphView view{graph.name, graph.file, graph.profile, graph.profile_why, {}, {}};
  for (const config::Phase& phase : graph.phases) view.phases.push_back(phase.name);
  for (const config::Chain& chain : graph.chains) {
    for (const config::UpstreamNode& upstream : chain.upstream) Add(upstream.node, view);
    Add(chain.source, view);
    for (const config::StageNode& transform : chain.transforms) Add(transform, view);
  }
  for (const config::StageNode& transform : graph.batch_transforms) Add(transform, view);
  for (const config::StageNode& consumer : graph.consumers) {
    Add(consumer, view);
    for (const config::BatchEdge& edge : graph.batch_edges) {
      if (edge.to == consumer.name) view.stages.back().inputs.push_back(InputOf(graph, edge));
    }
  }
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
