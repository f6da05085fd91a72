#include "pipeline/cli/stages.h"

#include <iostream>
#include <memory>

#include "pipeline/cli/describe_stage.h"
#include "pipeline/cli/graph_options.h"
#include "pipeline/config/framework_params.h"
#include "pipeline/config/nearest.h"
#include "pipeline/plugin/loader.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {
namespace {

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
  out << "flowtrain\n  staging  [staging]  " << kStagingHelp << '\n';
  if (loader.refused().empty()) return;
  out << "refused\n";
  for (const plugin::Refusal& refusal : loader.refused()) {
    out << "  " << refusal.plugin << "  (" << refusal.path << "): " << refusal.reason << '\n';
  }
}

}  // namespace

int Stages(const std::string& type, const std::vector<std::string>& plugin_paths, std::ostream& out,
           std::ostream& err) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(plugin_paths));
  if (type.empty()) {
    loader.LoadAll();
    PrintAll(registry, loader, out);
    return 0;
  }
  if (type == "staging") {
    DescribeStaging(out);
    return 0;
  }
  std::vector<std::string> known;
  std::string why;
  if (loader.Find(type, known, why) == nullptr) {
    known.push_back("staging");
    err << "unknown stage type \"" << type << '"' << config::Hint(type, known)
        << (why.empty() ? "" : "; ") << why << '\n';
    return 2;
  }
  DescribeStage(*registry.Find(type), out);
  return 0;
}

void AddStages(CLI::App& app, int& exit_code) {
  struct Options {
    std::string type;
    std::vector<std::string> plugin_paths;
  };
  CLI::App* command = app.add_subcommand("stages", "List the stage types, or describe one.");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("type", options->type,
                   "A stage type, such as image.augment: shows its parameters.")
      ->type_name("TYPE");
  AddPluginPath(*command, options->plugin_paths);
  command->callback([options, &exit_code] {
    exit_code = Stages(options->type, options->plugin_paths, std::cout, std::cerr);
  });
}

}  // namespace flowtrain::cli
