// A command about a graph file: prints what the program shows it of one.
#include <flowtrain/command.h>
#include <flowtrain/graph_command.h>
#include <flowtrain/plugin.h>

#include <ostream>

namespace {

using namespace flowtrain;

void ShowTensors(const GraphStage& stage, std::ostream& out) {
  for (const GraphInput& input : stage.inputs) {
    for (const GraphTensor& tensor : input.tensors) {
      out << stage.name << '.' << input.port << ' ' << tensor.name << ' ' << DTypeName(tensor.dtype)
          << " [" << input.batch;
      for (const int64_t side : tensor.row) out << ' ' << side;
      out << "]\n";
    }
  }
}

class ShowInputs final : public GraphCommand {
 public:
  std::string Help() const override { return "Show what reaches each consumer."; }
  int Run(GraphReader& graphs, const std::vector<std::string>& arguments, std::ostream& out,
          std::ostream& err) override {
    if (arguments.empty()) {
      err << "which graph?\n";
      return 2;
    }
    if (arguments[0] == "--help") {
      out << Help() << '\n';
      return 0;
    }
    const GraphView graph = graphs.Read(arguments[0]);
    out << graph.name << '\n';
    for (const GraphStage& stage : graph.stages) {
      out << stage.pointer << ' ' << stage.type << ' ' << stage.params.ToJson() << '\n';
      ShowTensors(stage, out);
    }
    for (const GraphPhase& phase : graph.phases) {
      out << "phase " << phase.name << ", epochs " << phase.epochs << '\n';
      for (const GraphStage& stage : phase.stages) ShowTensors(stage, out);
    }
    return 0;
  }
};

class ShowNothing final : public Command {
 public:
  std::string Help() const override { return "Show nothing."; }
  int Run(const std::vector<std::string>&, std::ostream&, std::ostream&) override { return 0; }
};

}  // namespace

FLOWTRAIN_PLUGIN("views", "1.0", r) {
  r.Provide<GraphCommand>("views.show_inputs", std::make_shared<ShowInputs>());
  // The words of one command twice, as two plugins may come to have them.
  r.Provide<GraphCommand>("views.show_twice", std::make_shared<ShowInputs>());
  r.Provide<Command>("views.show_twice", std::make_shared<ShowNothing>());
}
