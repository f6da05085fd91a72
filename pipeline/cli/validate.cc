#include "pipeline/cli/validate.h"

#include <iostream>
#include <memory>

#include "pipeline/cli/listen_fault.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

std::string RowText(const config::RowTensor& row, int batch) {
  std::string text = row.name + " " + DTypeName(row.dtype) + " [" + std::to_string(batch);
  for (const int64_t side : row.shape) text += ", " + std::to_string(side);
  return text + "]";
}

void PrintChain(const config::Chain& chain, std::ostream& out) {
  out << "chain   " << chain.source.name;
  for (const config::StageNode& transform : chain.transforms) out << " -> " << transform.name;
  out << " -> " << chain.staging << '\n';
  for (const config::RowTensor& row : chain.rows)
    out << "  gives   " << RowText(row, chain.staging_params.batch) << '\n';
  out << "  tokens  slots " << chain.staging_params.slots << ", read-ahead ";
  if (chain.source_params.read_ahead > 0) out << chain.source_params.read_ahead << " samples and ";
  out << (chain.source_params.read_ahead_bytes.value >> 20) << " MiB, I/O threads "
      << chain.source_params.io_threads << '\n';
}

void PrintPhase(const config::Phase& phase, std::ostream& out) {
  out << "phase   " << phase.name << ", " << phase.epochs << (phase.epochs == 1 ? " epoch" : " epochs")
      << '\n';
  for (const config::Chain& chain : phase.graph.chains) {
    out << "  gives   " << chain.staging << ':';
    for (const config::RowTensor& row : chain.rows)
      out << ' ' << RowText(row, chain.staging_params.batch);
    out << '\n';
  }
}

void PrintSummary(const config::ValidatedGraph& graph, std::ostream& out) {
  out << "graph   " << graph.name << ", seed " << graph.seed << '\n';
  if (!graph.profile.empty()) {
    out << "profile " << graph.profile << " applies"
        << (graph.profile_why.empty() ? "" : ": " + graph.profile_why) << '\n';
  }
  for (const config::Chain& chain : graph.chains) PrintChain(chain, out);
  for (const config::BatchEdge& edge : graph.batch_edges) {
    out << "batches " << edge.from << " -> " << edge.to << '.' << edge.port << '\n';
  }
  for (const config::Phase& phase : graph.phases) PrintPhase(phase, out);
  out << "ok: the graph is right; its data was not looked at\n";
}

}  // namespace

int Validate(const GraphOptions& options, std::ostream& out, std::ostream& err) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(options.plugin_paths));
  try {
    const config::ValidatedGraph graph =
        config::Load(options.file, options.load_options(), plugin::MakeLookup(loader));
    for (const std::string& note : graph.notes) err << "warning: " << note << '\n';
    if (const std::string fault = ListenFault(graph.metrics.listen); !fault.empty()) {
      err << options.file << ": /metrics/listen: " << fault << '\n';
      return 2;
    }
    PrintSummary(graph, out);
    return 0;
  } catch (const config::GraphError& error) {
    err << error.what() << '\n';
    return 2;
  }
}

void AddValidate(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("validate", "Check a graph file and show what flows in it.");
  const auto options = std::make_shared<GraphOptions>();
  options->AddTo(*command);
  command->callback(
      [options, &exit_code] { exit_code = Validate(*options, std::cout, std::cerr); });
}

}  // namespace flowtrain::cli
