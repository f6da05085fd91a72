#include "pipeline/plugin/search_path.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace flowtrain::plugin {
namespace {

constexpr std::string_view kPrefix = "libflowtrain_", kSuffix = ".so";

void AddFolder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& folders) {
  std::filesystem::path normal = folder.lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();  // "/a/" is "/a"
  if (std::find(folders.begin(), folders.end(), normal) == folders.end()) folders.push_back(normal);
}

void AddList(const std::string& list, std::vector<std::filesystem::path>& folders) {
  for (const std::filesystem::path& folder : FoldersIn(list)) AddFolder(folder, folders);
}

}  // namespace

std::vector<std::filesystem::path> FoldersIn(const std::string& list) {
  std::vector<std::filesystem::path> folders;
  for (size_t from = 0; from <= list.size();) {
    const size_t colon = std::min(list.find(':', from), list.size());
    if (colon > from) folders.emplace_back(list.substr(from, colon - from));
    from = colon + 1;
  }
  return folders;
}

std::vector<std::filesystem::path> SearchPath(const std::vector<std::string>& options,
                                              const char* variable,
                                              const std::filesystem::path& program) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& option : options) AddList(option, folders);
  if (variable != nullptr) AddList(variable, folders);
  AddFolder(program.parent_path(), folders);
  AddFolder(program.parent_path() / FLOWTRAIN_PLUGINS_FROM_BIN, folders);
  return folders;
}

std::vector<std::filesystem::path> SearchPath(const std::vector<std::string>& options) {
  std::error_code error;  // without /proc the program's folder is taken to be the working folder
  return SearchPath(options, std::getenv("FLOWTRAIN_PLUGIN_PATH"),
                    std::filesystem::read_symlink("/proc/self/exe", error));
}

std::string LibraryName(const std::string& plugin) {
  return std::string(kPrefix) + plugin + std::string(kSuffix);
}

std::vector<std::string> LibrariesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    if (file.size() <= kPrefix.size() + kSuffix.size() || !file.starts_with(kPrefix) ||
        !file.ends_with(kSuffix))
      continue;
    names.push_back(file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace flowtrain::plugin
