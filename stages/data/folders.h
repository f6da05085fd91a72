// What lies in a dataset's folders. Nothing is read but folders. Used in Open.
#pragma once

#include <flowtrain/error.h>
#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stages/data/names.h"

namespace flowtrain::data {

// The root can't be used; what() says why.
class LayoutError final : public Error {
 public:
  using Error::Error;
};

// Throws LayoutError where there is no such folder.
void RequireFolder(const std::filesystem::path& root);

// What a folder holds, each sorted bytewise; a link is what it leads to, and without that an other.
struct Entries {
  std::vector<std::string> files, folders, others;
};
Entries EntriesIn(const std::filesystem::path& folder);  // throws LayoutError

// Names of the regular files (or links to some) in a folder, sorted bytewise. Throws LayoutError.
std::vector<std::string> FilesIn(const std::filesystem::path& folder);
// Names of the folders (or links to some) in a folder, sorted bytewise, but for those that an
// operating system strews about. Throws LayoutError.
std::vector<std::string> FoldersIn(const std::filesystem::path& folder);

// Whether a picture lies in a folder. Throws LayoutError.
bool HoldsPicture(const std::filesystem::path& folder);

bool IsSplit(FolderKind kind);  // kTrain, kVal or kTest

// What the root's own name says, so that the test half given as a root is never trained on. Of the
// folder above only a bundle's names count: "test" may be anybody's folder for trying things.
FolderKind SplitOfRoot(const std::filesystem::path& root);

// Folders that were seen, by what they are and not by name: a loop of links comes by one twice.
class SeenFolders {
 public:
  // False where it was seen before, or isn't there.
  bool Add(const std::filesystem::path& folder);
  size_t size() const { return seen_.size(); }

 private:
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace flowtrain::data
