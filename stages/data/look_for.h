// Looks for regular files, telling those that aren't there, and what else is there in their place,
// from those that can't be looked at.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace flowtrain::data {

// No error where it is there; no_such_file_or_directory where nothing is; else what stands there
// instead (a folder, a FIFO), or why that can't be told, such as a folder that may not be entered.
// Opens nothing. Any thread.
std::error_code LookFor(const std::filesystem::path& path);

std::string LookFault(const std::filesystem::path& path, std::error_code error);

}  // namespace flowtrain::data
