// `flowtrain describe TYPE`: one stage type, for people or (--json) for tools.
#pragma once

#include <CLI/CLI.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace flowtrain::cli {

// Adds the command; its exit code goes to `exit_code`.
void AddDescribe(CLI::App& app, int& exit_code);

struct DescribeOptions {
  std::string type;
  bool json = false;
  std::vector<std::string> plugin_paths;
};

// 0, or 2 where there is no such type, with the nearest one on `err`.
int Describe(const DescribeOptions& options, std::ostream& out, std::ostream& err);

}  // namespace flowtrain::cli
