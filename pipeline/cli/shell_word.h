// A word as a shell takes it. Plain function.
#pragma once

#include <string>

namespace flowtrain::cli {

// In single quotes where a shell would take it apart.
std::string ShellWord(const std::string& word);

}  // namespace flowtrain::cli
