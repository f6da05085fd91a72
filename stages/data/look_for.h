// Looks for regular files, telling those that aren't there from those that can't be looked at.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "stages/data/names.h"

namespace flowtrain::data {

// No error where it is there; no_such_file_or_directory where nothing is, or no regular file; else
// why that can't be told, such as a folder that may not be entered. Any thread.
inline std::error_code LookFor(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::regular) return {};
  if (status.type() != std::filesystem::file_type::none) {
    error = std::make_error_code(std::errc::no_such_file_or_directory);
  }
  return error;
}

inline std::string LookFault(const std::filesystem::path& path, std::error_code error) {
  const std::string name = Clipped(path.native());
  if (error == std::errc::no_such_file_or_directory) return "there is no file " + name;
  return "can't look at " + name + ": " + error.message();
}

}  // namespace flowtrain::data
