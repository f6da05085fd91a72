// A plugin's command that is about a graph file. Provided like a Command:
//
//   r.Provide<GraphCommand>("train.model_describe", std::make_shared<DescribeModel>());
//
// is `flowtrain model describe`. The program reads the file as all its own commands do, and takes
// --set, --profile and --plugin-path out of the arguments; the plugin gets what was read, and knows
// nothing of how.
#pragma once

#include <flowtrain/batch.h>
#include <flowtrain/context.h>
#include <flowtrain/export.h>
#include <flowtrain/value.h>

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace flowtrain {

// One tensor of a batch, as it is staged: a batch transform on the way may change its type and
// layout.
struct GraphTensor {
  std::string name;
  DType dtype = DType::kU8;
  std::vector<int64_t> row;  // {height, width, channels}; a label: {}
};

// An input of a consumer that batches lead into.
struct GraphInput {
  std::string port;
  int64_t batch = 0;  // rows
  std::vector<GraphTensor> tensors;
};

// Sources, transforms, batch transforms and consumers; `staging` is the framework's own.
struct GraphStage {
  std::string name, type;
  std::string pointer;             // where it stands in the file: "/stages/trainer"
  Value params;                    // all of its own, defaults filled in
  std::vector<GraphInput> inputs;  // a consumer's
};

// A part of a run: the same stages, some parameters and what comes of them set differently.
struct GraphPhase {
  std::string name;
  uint64_t epochs = 1;
  std::vector<GraphStage> stages;
};

// A graph without faults.
struct GraphView {
  std::string name;  // with "-demo" (a profile's name) behind it where one applied
  std::string file;
  std::string profile, profile_why;  // the one that applied, and why where it did by itself
  std::vector<GraphStage> stages;    // before any phase sets them
  std::vector<GraphPhase> phases;    // what a run goes through; empty: the graph itself
};

// The program's; lives while the command runs.
class FLOWTRAIN_API GraphReader {
 public:
  virtual ~GraphReader();
  // The graph in `file`, as --set and --profile make it. What it throws where the graph has faults is
  // to pass through the command: the program prints each fault with its place, and exits with 2.
  virtual GraphView Read(const std::string& file) = 0;
  // What a graph's stages find with OpenContext::Find; opens plugins as that does.
  virtual const ProvidedLookup& provided() const = 0;
};

class FLOWTRAIN_API GraphCommand {
 public:
  static constexpr const char* kInterface = "flowtrain.GraphCommand/1";
  virtual ~GraphCommand();
  virtual std::string Help() const = 0;  // one line, a sentence
  // As Command::Run; without the options that the program takes. Behind --help, which the command
  // answers as it answers any option, the program says its own.
  virtual int Run(GraphReader& graphs, const std::vector<std::string>& arguments, std::ostream& out,
                  std::ostream& err) = 0;
};

}  // namespace flowtrain
