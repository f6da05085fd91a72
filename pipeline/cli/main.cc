// The program: lists its commands and nothing else.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "pipeline/cli/check.h"
#include "pipeline/cli/describe.h"
#include "pipeline/cli/graph.h"
#include "pipeline/cli/plugin_new.h"
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
  if (word.ends_with(".json")) {
    std::cerr << "flowtrain: \"" << word << "\" is no command; to run this graph: flowtrain run " << word << '\n';
    return true;
  }
  std::cerr << "flowtrain: there is no command \"" << word << "\"" << flowtrain::config::Hint(word, known) << '\n';
  return true;
}

// What CLI11 found no place for, with the option that was meant.
int Explain(const CLI::App& app, const CLI::ExtrasError& error) {
  const CLI::App* command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  bool named = false;
  for (const std::string& word : command->remaining()) {
    if (!word.starts_with("-")) continue;
    const std::string option = word.substr(0, word.find('='));
    std::cerr << "flowtrain " << command->get_name() << ": there is no option \"" << option << '"' << flowtrain::config::Hint(option, known) << '\n';
    named = true;
  }
  if (named) return 2;
  std::cerr << "flowtrain " << command->get_name() << ": " << error.what() << "\n";
  const CLI::Option* set = command->get_option_no_throw("--set");
  if (set == nullptr || set->count() == 0) return 2;
  std::cerr << "--set takes one word, POINTER=VALUE, such as --set /stages/staging/batch=16\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  // OpenMP's workers would spin between a trainer's steps and take the cores that decode.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  // A file that grows past ulimit -f is a failed write like any other.
  std::signal(SIGXFSZ, SIG_IGN);
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
  flowtrain::cli::AddPlugin(app, exit_code);
  flowtrain::cli::AddVersion(app, exit_code);
  const std::string first = argc < 2 ? "help" : argv[1];
  if (first == "help") {
    std::cout << app.help();
    return 0;
  }
  if (first == "--version" || first == "-V") return flowtrain::cli::Version(std::cout);
  if (argv[1][0] != '-' && UnknownCommand(app, argv[1])) return 2;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    return Explain(app, error);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "flowtrain: " << error.what() << '\n';
    return 1;
  }
  std::cout.flush();
  if (exit_code == 0 && !std::cout) {
    std::cerr << "flowtrain: can't write to standard output\n";
    return 1;
  }
  return exit_code;
}
