#include "pipeline/cli/graph.h"

#include <iostream>
#include <memory>

#include "pipeline/cli/graph_dot.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {

int Graph(const GraphOptions& options, std::ostream& out, std::ostream& err) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(options.plugin_paths));
  try {
    PrintDot(config::Load(options.file, options.load_options(), plugin::MakeLookup(loader)), out);
    return 0;
  } catch (const config::GraphError& error) {
    err << error.what() << '\n';
    return 2;
  }
}

void AddGraph(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "graph", "Draw a graph file as DOT: flowtrain graph FILE | dot -Tsvg > graph.svg");
  const auto options = std::make_shared<GraphOptions>();
  options->AddTo(*command);
  command->callback([options, &exit_code] { exit_code = Graph(*options, std::cout, std::cerr); });
}

}  // namespace flowtrain::cli
