#include "pipeline/cli/stages.h"

#include <iostream>
#include <memory>

#include "pipeline/cli/graph_options.h"
#include "pipeline/cli/plugin_commands.h"
#include "pipeline/config/framework_params.h"
#include "pipeline/plugin/loader.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

void PrintProvided(const plugin::Registry& registry, std::ostream& out) {
  std::string commands, things;
  for (const auto& [key, provided] : registry.provided()) {
    const std::string path = "  (" + provided.plugin.path + ")\n";
    if (IsCommandInterface(key.first)) {
      commands += "  flowtrain " + CommandWords(key.second) + path;
    } else {
      things += "  " + key.second + "  [" + key.first + "]" + path;
    }
  }
  if (!commands.empty()) out << "commands\n" << commands;
  if (!things.empty()) out << "provided\n" << things;
}

void PrintAll(const plugin::Registry& registry, const plugin::Loader& loader, std::ostream& out) {
  std::string plugin;
  for (const auto& [type, stage] : registry.stages()) {
    if (stage.plugin.name != plugin) {
      plugin = stage.plugin.name;
      out << plugin << ' ' << stage.plugin.version << "  (" << stage.plugin.path << ")\n";
    }
    out << "  " << type << "  [" << StageKindName(stage.declaration.kind) << "]  "
        << stage.declaration.help << '\n';
  }
  out << "flowtrain\n  staging  [staging]  " << config::kStagingHelp << '\n';
  PrintProvided(registry, out);
  if (loader.refused().empty()) return;
  out << "refused\n";
  for (const plugin::Refusal& refusal : loader.refused()) {
    out << "  " << refusal.plugin << "  (" << refusal.path << "): " << refusal.reason << '\n';
  }
}

}  // namespace

int Stages(const std::vector<std::string>& plugin_paths, std::ostream& out) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(plugin_paths));
  loader.LoadAll();
  PrintAll(registry, loader, out);
  return 0;
}

void AddStages(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("stages", "List the stage types.");
  const auto plugin_paths = std::make_shared<std::vector<std::string>>();
  AddPluginPath(*command, *plugin_paths);
  command->callback([plugin_paths, &exit_code] { exit_code = Stages(*plugin_paths, std::cout); });
}

}  // namespace flowtrain::cli
