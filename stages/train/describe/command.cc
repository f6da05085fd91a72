#include "stages/train/describe/command.h"

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "stages/train/torch_half.h"

namespace flowtrain::train {
namespace {

constexpr char kType[] = "train.segmentation";

struct Options {
  std::string file;
  int64_t batch = 0;      // 0: the graph's
  std::string precision;  // empty: the graph's
  bool json = false;
};

void AddOptions(CLI::App& app, Options& o) {
  app.add_option("file", o.file, "The graph file.")->required()->type_name("FILE");
  app.add_option("--batch", o.batch, "Images that memory is said for (default: the graph's batch).")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option(
         "--precision", o.precision,
         "auto (bf16 where this machine has a GPU for it), float32 or bf16 (default: the graph's).")
      ->check(CLI::IsMember({"auto", "float32", "bf16"}));
  app.add_flag("--json", o.json, "For tools: a line of JSON.");
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
  DescribeRequest request{graph.name, stage.name, Bound(stage.params), 0,
                          0,          0,          options.precision,   options.json};
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
  if (graph.phases.empty()) return;
  out << "phases  ";
  for (const std::string& phase : graph.phases) out << ' ' << phase;
  out << "; sizes are those of the graph itself, which a phase may set differently\n";
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
  if (!options.json) PrintGraph(graph, out);
  bool found = false;
  for (const GraphStage& stage : graph.stages) {
    if (stage.type != kType) continue;
    found = true;
    try {
      DescribeNetwork(RequestOf(graph, stage, options), out);
    } catch (const std::invalid_argument& error) {
      err << graph.file << ": " << stage.pointer << "/model: " << error.what() << '\n';
      return 2;
    }
  }
  if (found) return 0;
  err << graph.file << ": no stage is of the type " << kType
      << ", so there is no network to describe\n";
  return 2;
}

}  // namespace flowtrain::train
