// What is said of a command line that can't be understood. Main thread.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace flowtrain::cli {

bool IsCommand(const CLI::App& app, const std::string& word);

// Says that `word` is no command, and which was meant.
void UnknownCommand(const CLI::App& app, const std::string& word);

// Says what CLI11 found no place for, with the option that was meant; gives the exit code.
int Explain(const CLI::App& app, const CLI::ExtrasError& error);

}  // namespace flowtrain::cli
