#include "pipeline/cli/schema.h"

#include <iostream>
#include <memory>

#include "pipeline/cli/graph_options.h"
#include "pipeline/config/json_text.h"
#include "pipeline/config/schema.h"
#include "pipeline/plugin/loader.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {

int Schema(const std::vector<std::string>& plugin_paths, std::ostream& out, std::ostream& err) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(plugin_paths));
  loader.LoadAll();
  for (const plugin::Refusal& refusal : loader.refused()) {
    err << "warning: without the stages of the plugin \"" << refusal.plugin << "\" ("
        << refusal.path << "): " << refusal.reason << '\n';
  }
  std::vector<const StageDeclaration*> stages;
  for (const auto& [type, stage] : registry.stages()) stages.push_back(&stage.declaration);
  out << config::Indented(config::GraphSchema(stages));
  return 0;
}

void AddSchema(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("schema", "Print a JSON Schema of graph files, for editors.");
  const auto plugin_paths = std::make_shared<std::vector<std::string>>();
  AddPluginPath(*command, *plugin_paths);
  command->callback(
      [plugin_paths, &exit_code] { exit_code = Schema(*plugin_paths, std::cout, std::cerr); });
}

}  // namespace flowtrain::cli
