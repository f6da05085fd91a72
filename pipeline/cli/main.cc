// The program: sets up its process, and lists its commands.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "pipeline/cli/cache.h"
#include "pipeline/cli/check.h"
#include "pipeline/cli/describe.h"
#include "pipeline/cli/graph.h"
#include "pipeline/cli/out_of_memory.h"
#include "pipeline/cli/plugin_commands.h"
#include "pipeline/cli/plugin_new.h"
#include "pipeline/cli/run.h"
#include "pipeline/cli/schema.h"
#include "pipeline/cli/stages.h"
#include "pipeline/cli/usage.h"
#include "pipeline/cli/validate.h"
#include "pipeline/cli/version.h"
#include "pipeline/memory/freed_memory.h"

namespace {

// The exit code of a command, once what it printed has arrived.
int Printed(int exit_code) {
  std::cout.flush();
  if (exit_code != 0 || std::cout) return exit_code;
  std::cerr << "flowtrain: can't write to standard output\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  // OpenMP's workers would spin between a trainer's steps and take the cores that decode.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  flowtrain::memory::KeepFreedMemory();
  flowtrain::cli::EndWhereMemoryRanOut();
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
  flowtrain::cli::AddCache(app, exit_code);
  flowtrain::cli::AddCheck(app, exit_code);
  flowtrain::cli::AddPlugin(app, exit_code);
  flowtrain::cli::AddVersion(app, exit_code);
  const std::string first = argc < 2 ? "help" : argv[1];
  if (first == "help" || first == "--help" || first == "-h") {
    std::cout << app.help();
    flowtrain::cli::ListPluginCommands(std::cout);
    return 0;
  }
  if (first == "--version" || first == "-V") return flowtrain::cli::Version(std::cout);
  if (argv[1][0] != '-' && !flowtrain::cli::IsCommand(app, argv[1])) {
    const auto code = flowtrain::cli::RunPluginCommand({argv + 1, argv + argc}, std::cout, std::cerr);
    if (code) return Printed(*code);
    flowtrain::cli::UnknownCommand(app, argv[1]);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    return flowtrain::cli::Explain(app, error);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "flowtrain: " << error.what() << '\n';
    return 1;
  }
  return Printed(exit_code);
}
