// `flowtrain version`: what this program is and what its plugins have to match.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddVersion(CLI::App& app, int& exit_code);

int Version(std::ostream& out);

}  // namespace flowtrain::cli
