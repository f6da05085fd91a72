#include "stages/data/class_folders.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

ClassHalf ClassesIn(const fs::path& folder, FolderKind split) {
  ClassHalf half{split, folder, {}, {}};
  SeenFolders seen;
  std::error_code error;
  fs::path above = fs::canonical(folder, error);
  for (; seen.Add(above); above = above.parent_path()) {
  }
  for (std::string& name : FoldersIn(folder)) {
    (seen.Add(folder / name) ? half.classes : half.again).push_back(std::move(name));
  }
  return half;
}

// The set whose folder this is; nothing where it has no half with class folders.
std::optional<ClassTree> SetIn(const fs::path& folder) {
  ClassTree tree{folder, {}};
  for (const std::string& name : FoldersIn(folder)) {
    const FolderKind kind = KindOfFolder(name);
    if (!IsSplit(kind)) continue;
    if (const ClassHalf* other = tree.half(kind)) {
      throw LayoutError(Printable(folder.native()) + " holds both " +
                        Printable(other->folder.filename().native()) + " and " + Printable(name));
    }
    tree.halves.push_back(ClassesIn(folder / name, kind));
  }
  const bool any = std::any_of(tree.halves.begin(), tree.halves.end(),
                               [](const ClassHalf& half) { return !half.classes.empty(); });
  return any ? std::optional(std::move(tree)) : std::nullopt;
}

[[noreturn]] void FailToFind(const fs::path& root, const std::vector<std::string>& folders) {
  throw LayoutError(
      "no class folders under " + Printable(root.native()) +
      ": looked for train and val with a folder of images a class, in any case, "
      "here and one folder down; " +
      (folders.empty() ? "there are no folders in it" : FoldersText(folders, kClassesShown)));
}

std::vector<std::string> Missing(const ClassHalf& from, const ClassHalf& other) {
  std::vector<std::string> names;
  std::set_difference(from.classes.begin(), from.classes.end(), other.classes.begin(),
                      other.classes.end(), std::back_inserter(names));
  return names;
}

}  // namespace

const ClassHalf* ClassTree::half(FolderKind split) const {
  const auto found = std::find_if(halves.begin(), halves.end(),
                                  [split](const ClassHalf& half) { return half.split == split; });
  return found == halves.end() ? nullptr : &*found;
}

ClassTree FindClasses(const fs::path& root) {
  RequireFolder(root);
  if (std::optional<ClassTree> set = SetIn(root)) return *std::move(set);
  const std::vector<std::string> folders = FoldersIn(root);
  const bool classes = std::any_of(folders.begin(), folders.end(), [&](const std::string& name) {
    return HoldsPicture(root / name);
  });
  if (classes) return {root, {ClassesIn(root, SplitOfRoot(root))}};
  std::optional<ClassTree> only;
  for (const std::string& name : folders) {
    std::optional<ClassTree> set = SetIn(root / name);
    if (set && only) {
      throw LayoutError("several sets of class folders: " + Printable(only->folder.native()) +
                        " and " + Printable(set->folder.native()) + "; name the folder of one");
    }
    if (set) only = std::move(set);
  }
  if (!only) FailToFind(root, folders);
  return *std::move(only);
}

std::string Difference(const ClassHalf& a, const ClassHalf& b) {
  if (a.classes == b.classes) return "";
  std::string text = Printable(a.folder.native()) + " has " +
                     Count(a.classes.size(), "class folder", "class folders") + ", " +
                     Printable(b.folder.native()) + " has " + std::to_string(b.classes.size());
  const auto only = [&](const ClassHalf& one, const ClassHalf& other) {
    const std::vector<std::string> names = Missing(one, other);
    if (names.empty()) return;
    text += "; only in " + Printable(one.folder.filename().native()) + ": " +
            std::to_string(names.size()) + " (" + Listed(names, kClassesShown) + ")";
  };
  only(a, b);
  only(b, a);
  return text;
}

}  // namespace flowtrain::data
