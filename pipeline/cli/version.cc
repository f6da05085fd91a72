#include "pipeline/cli/version.h"

#include <flowtrain/plugin.h>

#include <iostream>

namespace flowtrain::cli {

int Version(std::ostream& out) {
  out << "flowtrain " << FLOWTRAIN_VERSION << "\nplugin ABI " << kAbiVersion << ", "
      << FLOWTRAIN_BUILD_TAG << "\ncompiler " << __VERSION__ << '\n';
  return 0;
}

void AddVersion(CLI::App& app, int& exit_code) {
  app.add_subcommand("version", "Print the version, and what plugins have to match.")
      ->callback([&exit_code] { exit_code = Version(std::cout); });
}

}  // namespace flowtrain::cli
