// `flowtrain plugin new NAME [DIR]`: a folder with a plugin to begin from, made from the template that
// comes with the program.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>
#include <string>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddPlugin(CLI::App& app, int& exit_code);

struct PluginNewOptions {
  std::string name;
  std::filesystem::path folder;  // empty: NAME, in the working folder
};

// 0; 2 for a name or a folder that can't be used; 1 where files can't be read or written.
int PluginNew(const PluginNewOptions& options, std::ostream& out, std::ostream& err);

}  // namespace flowtrain::cli
