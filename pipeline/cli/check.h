// `flowtrain check libflowtrain_x.so`: tries a plugin's transforms before a run depends on them.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddCheck(CLI::App& app, int& exit_code);

struct CheckOptions {
  std::string library;
  std::vector<std::string> params;   // "blur.box={\"radius\": 2}"
  std::vector<std::string> samples;  // "image=photo.webp"
  int timeout_s = 30;
};

// 0, 1 where something failed, 2 for usage. The plugin runs in children of this process.
int Check(const CheckOptions& options, std::ostream& out, std::ostream& err);

}  // namespace flowtrain::cli
