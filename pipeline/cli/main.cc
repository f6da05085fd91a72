// The program: lists its commands and nothing else.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "pipeline/cli/check.h"
#include "pipeline/cli/describe.h"
#include "pipeline/cli/graph.h"
#include "pipeline/cli/run.h"
#include "pipeline/cli/schema.h"
#include "pipeline/cli/stages.h"
#include "pipeline/cli/validate.h"
#include "pipeline/cli/version.h"
#include "pipeline/config/nearest.h"

namespace {

// CLI11 knows only that something was left over; people want to know what they meant. True: `word` is
// no command, and that was said.
bool UnknownCommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == word) return false;
    known.push_back(command->get_name());
  }
  std::cerr << "flowtrain: there is no command \"" << word << "\"" << flowtrain::config::Hint(word, known) << '\n';
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  // OpenMP's workers would spin between a trainer's steps and take the cores that decode.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  int exit_code = 0;
  CLI::App app("Dataflow pipelines for training vision models.\nBegin with: flowtrain run graphs/cod10k.json", "flowtrain");
  app.require_subcommand(0, 1);
  flowtrain::cli::AddRun(app, exit_code);
  flowtrain::cli::AddValidate(app, exit_code);
  flowtrain::cli::AddStages(app, exit_code);
  flowtrain::cli::AddDescribe(app, exit_code);
  flowtrain::cli::AddGraph(app, exit_code);
  flowtrain::cli::AddSchema(app, exit_code);
  flowtrain::cli::AddCheck(app, exit_code);
  flowtrain::cli::AddVersion(app, exit_code);
  if (argc < 2) {
    std::cout << app.help();
    return 0;
  }
  if (argv[1][0] != '-' && UnknownCommand(app, argv[1])) return 2;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return exit_code;
}
