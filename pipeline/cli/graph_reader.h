// Graph files for the commands of plugins, read as the program's own commands read them. Owned by
// the call that runs such a command; main thread.
#pragma once

#include <flowtrain/graph_command.h>

#include <ostream>

#include "pipeline/config/validated_graph.h"
#include "pipeline/plugin/loader.h"

namespace flowtrain::cli {

// What the API shows of a graph.
GraphView ViewOf(const config::ValidatedGraph& graph);

class FileGraphReader final : public GraphReader {
 public:
  // Both outlive it. Warnings go to `err`.
  FileGraphReader(plugin::Loader& loader, std::ostream& err) : loader_(loader), err_(err) {}

  GraphView Read(const GraphRequest& request) override;  // throws config::GraphError

 private:
  plugin::Loader& loader_;
  std::ostream& err_;
};

}  // namespace flowtrain::cli
