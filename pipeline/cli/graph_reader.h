// Graph files for the commands of plugins, read as the program's own commands read them. Owned by
// the call that runs such a command; main thread.
#pragma once

#include <flowtrain/graph_command.h>

#include <ostream>

#include "pipeline/cli/graph_options.h"
#include "pipeline/config/validated_graph.h"
#include "pipeline/plugin/loader.h"

namespace flowtrain::cli {

// What the API shows of a graph.
GraphView ViewOf(const config::ValidatedGraph& graph);

class FileGraphReader final : public GraphReader {
 public:
  // Both outlive it. Warnings go to `err`.
  FileGraphReader(plugin::Loader& loader, const GraphOptions& options, std::ostream& err)
      : loader_(loader),
        options_(options.load_options()),
        provided_(plugin::MakeProvidedLookup(loader)),
        err_(err) {}

  GraphView Read(const std::string& file) override;  // throws config::GraphError
  const ProvidedLookup& provided() const override { return provided_; }

 private:
  plugin::Loader& loader_;
  const config::LoadOptions options_;
  const ProvidedLookup provided_;
  std::ostream& err_;
};

}  // namespace flowtrain::cli
