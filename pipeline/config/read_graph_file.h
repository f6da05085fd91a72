// A graph file's text: a regular file of a sane size, or the reason why not. Plain function.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace flowtrain::config {

inline constexpr size_t kMostGraphBytes = 64 << 20;

// `why`: what is wrong with it; empty: nothing. Never waits, whatever stands there.
std::string ReadGraphFile(const std::filesystem::path& file, std::string& why);

}  // namespace flowtrain::config
