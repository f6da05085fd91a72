#include "pipeline/cli/describe.h"

#include <iostream>
#include <memory>

#include "pipeline/cli/describe_json.h"
#include "pipeline/cli/describe_stage.h"
#include "pipeline/cli/graph_options.h"
#include "pipeline/cli/text_table.h"
#include "pipeline/config/json_text.h"
#include "pipeline/config/nearest.h"
#include "pipeline/plugin/loader.h"
#include "pipeline/plugin/search_path.h"

namespace flowtrain::cli {

int Describe(const DescribeOptions& options, std::ostream& out, std::ostream& err) {
  plugin::Registry registry;
  plugin::Loader loader(registry, plugin::SearchPath(options.plugin_paths));
  std::vector<std::string> known;
  std::string why;
  const bool staging = options.type == "staging";
  if (!staging && loader.Find(options.type, known, why) == nullptr) {
    known.push_back("staging");
    err << "unknown stage type \"" << options.type << '"' << config::Hint(options.type, known)
        << (why.empty() ? "" : "; ") << why << '\n';
    return 2;
  }
  const plugin::RegisteredStage* stage = registry.Find(options.type);
  if (options.json) {
    out << config::Indented(staging ? StagingJson() : StageJson(*stage));
  } else if (staging) {
    DescribeStaging(OutputWidth(), out);
  } else {
    DescribeStage(*stage, OutputWidth(), out);
  }
  return 0;
}

void AddDescribe(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("describe", "Describe a stage type: what flows through it, parameters.");
  const auto options = std::make_shared<DescribeOptions>();
  command->add_option("type", options->type, "A stage type, such as image.augment.")
      ->required()
      ->type_name("TYPE");
  command->add_flag("--json", options->json, "As JSON, for tools.");
  AddPluginPath(*command, options->plugin_paths);
  command->callback(
      [options, &exit_code] { exit_code = Describe(*options, std::cout, std::cerr); });
}

}  // namespace flowtrain::cli
