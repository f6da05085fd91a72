// Writes a file so that whoever opens it finds all of it or none, whatever else writes it and
// however a process ends. Any thread.
#pragma once

#include <filesystem>
#include <string_view>

namespace flowtrain::data {

// Makes the folder where it is missing. Throws Error, with the cause.
void WriteWhole(const std::filesystem::path& path, std::string_view content);

}  // namespace flowtrain::data
