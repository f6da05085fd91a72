#include "stages/data/folders.h"

#include <sys/stat.h>

#include <algorithm>

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void FailToRead(const fs::path& folder, const std::error_code& error) {
  throw LayoutError(Printable(folder.native()) + " can't be read: " + error.message());
}

template <class Keep>
std::vector<std::string> Names(const fs::path& folder, Keep keep) {
  std::error_code error;
  std::vector<std::string> names;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    if (keep(*it)) names.push_back(it->path().filename().native());
  }
  if (error) FailToRead(folder, error);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

void RequireFolder(const fs::path& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (!fs::exists(status)) {
    if (error && error != std::errc::no_such_file_or_directory) FailToRead(root, error);
    throw LayoutError("there is no folder " + Printable(root.native()));
  }
  if (!fs::is_directory(status)) throw LayoutError(Printable(root.native()) + " is not a folder");
}

Entries EntriesIn(const fs::path& folder) {
  Entries entries;
  entries.files = Names(folder, [&](const fs::directory_entry& entry) {
    std::error_code error;
    if (entry.is_regular_file(error)) return true;
    (entry.is_directory(error) ? entries.folders : entries.others)
        .push_back(entry.path().filename().native());
    return false;
  });
  std::sort(entries.folders.begin(), entries.folders.end());
  std::sort(entries.others.begin(), entries.others.end());
  return entries;
}

std::vector<std::string> FilesIn(const fs::path& folder) {
  return Names(folder, [](const fs::directory_entry& entry) {
    std::error_code error;
    return entry.is_regular_file(error);
  });
}

std::vector<std::string> FoldersIn(const fs::path& folder) {
  return Names(folder, [](const fs::directory_entry& entry) {
    std::error_code error;
    const std::string name = entry.path().filename().native();
    return !IsStrewn(name) && entry.is_directory(error);
  });
}

bool HoldsPicture(const fs::path& folder) {
  std::error_code error, ignored;
  fs::directory_iterator it(folder, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    if (IsPicture(it->path().filename().native()) && it->is_regular_file(ignored)) return true;
  }
  if (error) FailToRead(folder, error);
  return false;
}

bool IsSplit(FolderKind kind) {
  return kind == FolderKind::kTrain || kind == FolderKind::kVal || kind == FolderKind::kTest;
}

FolderKind SplitOfRoot(const fs::path& root) {
  std::error_code error;
  const fs::path real = fs::canonical(root, error);
  const FolderKind own = KindOfFolder(real.filename().native());
  if (IsSplit(own)) return own;
  const std::string above = real.parent_path().filename().native();
  return Lower(above).ends_with("dataset") ? KindOfFolder(above) : FolderKind::kOther;
}

bool SeenFolders::Add(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && seen_.emplace(status.st_dev, status.st_ino).second;
}

}  // namespace flowtrain::data
