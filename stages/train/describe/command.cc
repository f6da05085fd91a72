#include "stages/train/describe/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "stages/train/network_refused.h"
#include "stages/train/torch_half.h"

namespace flowtrain::train {
namespace {

constexpr char kType[] = "train.segmentation";

struct Options {
  std::string file;
  std::string phase;      // empty: all that differ
  int64_t batch = 0;      // 0: the graph's
  std::string precision;  // empty: the graph's
  bool json = false;
};

void AddOptions(CLI::App& app, Options& o) {
  app.add_option("file", o.file, "The graph file.")->required()->type_name("FILE");
  app.add_option("--phase", o.phase, "Of a graph with phases, this one (default: each that differs).")
      ->type_name("NAME");
  app.add_option("--batch", o.batch, "Images that memory is said for (default: the graph's batch).")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option(
         "--precision", o.precision,
         "auto (bf16 where this machine has a GPU for it), float32 or bf16 (default: the graph's).")
      ->check(CLI::IsMember({"auto", "float32", "bf16"}));
  app.add_flag("--json", o.json, "For tools: JSON, a line for each size and batch.");
}

SegmentationParams Bound(const Value& params) {
  Declaration<SegmentationParams> declaration;
  DeclareSegmentation(declaration);
  SegmentationParams bound;
  for (const ParamSpec& spec :
       std::move(declaration).Finish(StageKind::kConsumer, nullptr).params) {
    if (const Value* value = params.Find(spec.name)) spec.bind(&bound, *value);
  }
  return bound;
}

DescribeRequest RequestOf(const GraphView& graph, const GraphStage& stage, const Options& options) {
  DescribeRequest request{graph.name, stage.name, {}, Bound(stage.params), 0, 0, 0,
                          options.precision, options.json};
  if (request.precision.empty()) request.precision = request.params.precision;
  for (const GraphInput& input : stage.inputs) {
    if (input.port != "train") continue;
    request.batch = options.batch > 0 ? options.batch : input.batch;
    for (const GraphTensor& tensor : input.tensors) {
      if (tensor.name != "image") continue;
      request.height = tensor.row.at(0);
      request.width = tensor.row.at(1);
    }
  }
  return request;
}

// What a reader of the table should know of the graph.
void PrintGraph(const GraphView& graph, std::ostream& out) {
  out << "graph    " << graph.name << '\n';
  if (!graph.profile.empty())
    out << "profile  " << graph.profile
        << (graph.profile_why.empty() ? "" : ": " + graph.profile_why) << '\n';
}

// What is to be described, and where in the graph it stands.
struct Asked {
  std::string pointer;
  DescribeRequest request;
};

// A stage's network is the same in all phases, what reaches it may not be.
bool Alike(const Asked& a, const Asked& b) {
  return a.pointer == b.pointer && a.request.height == b.request.height &&
         a.request.width == b.request.width && a.request.batch == b.request.batch;
}

std::vector<Asked> AskedOf(const GraphView& graph, const Options& options) {
  std::vector<Asked> all;
  const auto add = [&](const std::vector<GraphStage>& stages, const std::string& phase) {
    for (const GraphStage& stage : stages) {
      if (stage.type != kType) continue;
      Asked asked{stage.pointer, RequestOf(graph, stage, options)};
      auto there = std::find_if(all.begin(), all.end(),
                                [&](const Asked& other) { return Alike(asked, other); });
      if (there == all.end()) there = all.insert(all.end(), std::move(asked));
      if (!phase.empty()) there->request.phases.push_back(phase);
    }
  };
  if (graph.phases.empty()) add(graph.stages, "");
  for (const GraphPhase& phase : graph.phases) {
    if (options.phase.empty() || phase.name == options.phase) add(phase.stages, phase.name);
  }
  return all;
}

// Empty: the phase asked for, if any, is there.
std::string PhaseFault(const GraphView& graph, const Options& options) {
  std::string names;
  for (const GraphPhase& phase : graph.phases) {
    if (options.phase == phase.name) return "";
    names += (names.empty() ? "\"" : ", \"") + phase.name + "\"";
  }
  if (options.phase.empty()) return "";
  return "--phase: \"" + options.phase + "\" is no phase of it; " +
         (names.empty() ? "it has no phases" : "allowed: " + names);
}

}  // namespace

int DescribeModel::Run(GraphReader& graphs, const std::vector<std::string>& arguments,
                       std::ostream& out, std::ostream& err) {
  Options options;
  CLI::App app(Help(), "flowtrain model describe");
  AddOptions(app, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return app.exit(error, out, err) == 0 ? 0 : 2;
  }
  const GraphView graph = graphs.Read(options.file);
  if (const std::string fault = PhaseFault(graph, options); !fault.empty()) {
    err << graph.file << ": " << fault << '\n';
    return 2;
  }
  std::vector<Asked> all = AskedOf(graph, options);
  if (all.empty()) {
    err << graph.file << ": no stage is of the type " << kType
        << ", so there is no network to describe\n";
    return 2;
  }
  if (!options.json) PrintGraph(graph, out);
  for (Asked& asked : all) {
    asked.request.provided = graphs.provided();
    if (!options.json && &asked != &all.front()) out << '\n';
    try {
      DescribeNetwork(asked.request, out);
    } catch (const NetworkRefused& refused) {
      const auto& phases = asked.request.phases;
      err << graph.file << ": " << asked.pointer << '/' << refused.place() << ": "
          << (phases.empty() ? "" : "in phase \"" + phases[0] + "\": ") << refused.what() << '\n';
      return 2;
    }
  }
  return 0;
}

}  // namespace flowtrain::train
