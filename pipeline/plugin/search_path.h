// Where plugins are looked for. Made once, on the main thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace flowtrain::plugin {

// What one word names: several folders may stand in it, with ":".
std::vector<std::filesystem::path> FoldersIn(const std::string& list);

// Folders in the order they are searched: `options` (--plugin-path, each may hold several with
// ":"), `variable` (the value of FLOWTRAIN_PLUGIN_PATH, or null), beside the program, the install's
// plugin folder. `program`: the program's own path.
std::vector<std::filesystem::path> SearchPath(const std::vector<std::string>& options,
                                              const char* variable,
                                              const std::filesystem::path& program);

// The same for this process.
std::vector<std::filesystem::path> SearchPath(const std::vector<std::string>& options);

// The library of a plugin: libflowtrain_NAME.so.
std::string LibraryName(const std::string& plugin);

// The plugin names for which a folder has a file named like a library, sorted. Which of them are
// plugins is not looked at.
std::vector<std::string> LibrariesIn(const std::filesystem::path& folder);

}  // namespace flowtrain::plugin
