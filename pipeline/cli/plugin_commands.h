// Commands that plugins bring along. Main thread.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace flowtrain::cli {

// Runs the plugins' command whose words `arguments` begins with, and gives its exit code; nothing where
// there is none. Opens the plugins of the usual places, and of --plugin-path FOLDER behind the words.
std::optional<int> RunPluginCommand(const std::vector<std::string>& arguments, std::ostream& out,
                                    std::ostream& err);

// Whether what is provided as `interface` is a command.
bool IsCommandInterface(const std::string& interface);

// "bench model" for the thing provided as "train.bench_model".
std::string CommandWords(const std::string& provided_name);

// A line each, for the program's help.
void ListPluginCommands(std::ostream& out);

}  // namespace flowtrain::cli
