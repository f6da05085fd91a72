#include "pipeline/cli/graph_dot.h"

#include <string>

#include "pipeline/cli/text_table.h"
#include "pipeline/graph/bounds.h"

namespace flowtrain::cli {
namespace {

// A DOT string; \n in `text` starts a new line of a label.
std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Text inside a record's label, where some characters draw boxes. What Quoted adds comes on top.
std::string InRecord(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '{' || c == '}' || c == '|' || c == '<' || c == '>' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string Count(int count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string TensorText(const config::RowTensor& row, int batch) {
  std::string text = row.name + " " + DTypeName(row.dtype) + " [" + std::to_string(batch);
  for (const int64_t side : row.shape) text += ", " + std::to_string(side);
  return text + "]";
}

std::string ComputeText(const config::ValidatedGraph& graph) {
  const int threads = graph.run.threads;
  const std::string tokens = threads > 0
                                 ? Count(graph::kTokensAWorker * threads, "compute token") + ", " +
                                       Count(threads, "worker")
                                 : Count(graph::kTokensAWorker, "compute token") + " a worker";
  return tokens + (graph.chains.size() > 1 ? " (one pool for all chains)" : "");
}

class Drawing {
 public:
  Drawing(const config::ValidatedGraph& graph, std::ostream& out) : graph_(graph), out_(out) {}

  void Print() {
    out_ << "digraph " << Quoted(graph_.name) << " {\n"
         << "  rankdir=LR; labelloc=t; fontname=\"sans-serif\";\n"
         << "  label="
         << Quoted(graph_.name + ", seed " + std::to_string(graph_.seed) + PhasesText()) << ";\n"
         << "  node [shape=box, fontname=\"sans-serif\"];\n"
         << "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    for (const config::Chain& chain : graph_.chains) PrintChain(chain);
    for (const config::StageNode& stage : graph_.batch_transforms)
      PrintPorts(stage, "\nresidents: " + std::to_string(graph::ResidentsOf(stage)));
    for (const config::StageNode& stage : graph_.consumers)
      PrintPorts(stage, stage.declaration->observer ? "\nobserves" : "");
    for (const config::BatchEdge& edge : graph_.batch_edges) PrintBatchEdge(edge);
    out_ << "}\n";
  }

 private:
  std::string PhasesText() const {
    std::string text;
    for (const config::Phase& phase : graph_.phases)
      text += (text.empty() ? "\nphases (not drawn apart): " : ", ") + phase.name + " (" +
              std::to_string(phase.epochs) + ")";
    return text;
  }

  void PrintBox(const std::string& name, const std::string& label) {
    out_ << Quoted(name) << " [label=" << Quoted(name + "\n" + label) << "];\n";
  }

  void PrintChain(const config::Chain& chain) {
    const config::SourceParams& source = chain.source_params;
    for (const config::UpstreamNode& upstream : chain.upstream) {
      out_ << "  ";
      PrintBox(upstream.node.name, upstream.node.declaration->type);
      out_ << "  " << Quoted(upstream.node.name) << " -> " << Quoted(upstream.into) << ";\n";
    }
    out_ << "  ";
    PrintBox(chain.source.name,
             chain.source.declaration->type + "\n" + Count(source.io_threads, "I/O thread"));
    if (!chain.transforms.empty()) {
      out_ << "  subgraph " << Quoted("cluster_" + chain.source.name)
           << " {\n    style=rounded; label=" << Quoted(ComputeText(graph_)) << ";\n";
      for (const config::StageNode& stage : chain.transforms) {
        out_ << "    ";
        PrintBox(stage.name, stage.declaration->type);
      }
      out_ << "  }\n";
    }
    const config::StagingParams& staging = chain.staging_params;
    std::string slots =
        "staging\n" + Count(staging.slots, "slot") + " x batch " + std::to_string(staging.batch);
    for (const config::RowTensor& row : chain.rows) slots += "\n" + TensorText(row, staging.batch);
    out_ << "  ";
    PrintBox(chain.staging, slots);

    std::string from = chain.source.name;
    std::string label = "read-ahead " + Count(graph::ReadAheadOf(source), "sample") + ",\n" +
                        BytesText(static_cast<int64_t>(source.read_ahead_bytes.value));
    const auto lead_to = [&](const std::string& to) {
      out_ << "  " << Quoted(from) << " -> " << Quoted(to);
      if (!label.empty()) out_ << " [label=" << Quoted(label) << "]";
      out_ << ";\n";
      from = to;
      label.clear();
    };
    for (const config::StageNode& stage : chain.transforms) lead_to(stage.name);
    lead_to(chain.staging);
  }

  // A stage of batches: its inputs on the left.
  void PrintPorts(const config::StageNode& stage, const std::string& more) {
    std::string ports;
    for (const InputPort& input : stage.declaration->inputs) {
      ports += (ports.empty() ? "<" : "|<") + InRecord(input.name) + "> " + InRecord(input.name);
      if (input.optional) ports += " (optional)";
    }
    const std::string label = "{{" + ports + "}|" + InRecord(stage.name) + "\n" +
                              InRecord(stage.declaration->type) + more + "}";
    // Only quotes and line ends are left to escape: a record's own escapes stand already.
    std::string text;
    for (const char c : label) text += c == '"' ? "\\\"" : c == '\n' ? "\\n" : std::string(1, c);
    out_ << "  " << Quoted(stage.name) << " [shape=record, label=\"" << text << "\"];\n";
  }

  // How many batches the queue of an edge can hold: as many as its stage can have out.
  int Capacity(const std::string& from) const {
    for (const config::Chain& chain : graph_.chains) {
      if (chain.staging == from) return chain.staging_params.slots;
    }
    for (const config::StageNode& stage : graph_.batch_transforms) {
      if (stage.name == from) return graph::ResidentsOf(stage);
    }
    return 0;
  }

  void PrintBatchEdge(const config::BatchEdge& edge) {
    const bool lossy = graph::IsLossy(graph_, edge);
    const int capacity = lossy ? graph::kLossyQueue : Capacity(edge.from);
    out_ << "  " << Quoted(edge.from) << " -> " << Quoted(edge.to) << ':' << Quoted(edge.port)
         << " [penwidth=2, label="
         << Quoted("queue of " + std::to_string(capacity) + (lossy ? ", drops" : ""))
         << (lossy ? ", style=dashed" : "") << "];\n";
  }

  const config::ValidatedGraph& graph_;
  std::ostream& out_;
};

}  // namespace

void PrintDot(const config::ValidatedGraph& graph, std::ostream& out) {
  Drawing(graph, out).Print();
}

}  // namespace flowtrain::cli
