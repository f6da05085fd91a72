#include "stages/data/layout.h"

#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <utility>

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

// parent / bundle / TestDataset / NC4K: three folders below the root.
constexpr int kMostLevels = 3;
// A root that is somebody's home folder ends soon, too.
constexpr size_t kMostFolders = 4096;

bool IsSplit(FolderKind kind) {
  return kind == FolderKind::kTrain || kind == FolderKind::kVal || kind == FolderKind::kTest;
}

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

std::vector<std::string> FoldersIn(const fs::path& folder) {
  return Names(folder, [](const fs::directory_entry& entry) {
    std::error_code error;
    const std::string name = entry.path().filename().native();
    return name.front() != '.' && name != "__MACOSX" && entry.is_directory(error);
  });
}

class Finder {
 public:
  void Visit(const fs::path& folder, FolderKind split, const std::string& name, int level) {
    if (!FirstVisit(folder)) return;
    const std::vector<std::string> folders = FoldersIn(folder);
    if (level <= 1) seen_.insert(seen_.end(), folders.begin(), folders.end());
    const std::string images = First(folders, FolderKind::kImages),
                      masks = First(folders, FolderKind::kMasks);
    if (!images.empty() && !masks.empty()) return Add(folder / images, folder / masks, split, name);
    if (!images.empty()) lonely_.push_back((folder / images).native());
    if (level == kMostLevels) return;
    for (const std::string& child : folders) {
      const FolderKind kind = KindOfFolder(child);
      if (kind == FolderKind::kImages || kind == FolderKind::kMasks) continue;
      const bool names_split = IsSplit(kind);
      const std::string below = names_split ? name : name.empty() ? child : name + "/" + child;
      Visit(folder / child, names_split ? kind : split, below, level + 1);
    }
  }

  std::vector<ImageSet> Found(const fs::path& root) && {
    if (!sets_.empty()) return std::move(sets_);
    std::string why = "no dataset under " + Printable(root.native()) +
                      ": looked for a folder of images (" + kImageFolderNames +
                      ") beside one of masks (" + kMaskFolderNames + "), in any case";
    if (!lonely_.empty()) {
      why += "; there is " + Listed(lonely_, 3) + " without a folder of masks beside it";
    } else if (seen_.empty()) {
      why += "; there are no folders in it";
    } else {
      why += "; the folders in it are " + Listed(seen_, 12);
    }
    if (visited_.size() >= kMostFolders) {
      why += "; gave up after " + std::to_string(kMostFolders) +
             " folders: name the dataset's own folder";
    }
    throw LayoutError(why);
  }

 private:
  bool FirstVisit(const fs::path& folder) {
    struct stat status {};
    return visited_.size() < kMostFolders && ::stat(folder.c_str(), &status) == 0 &&
           visited_.emplace(status.st_dev, status.st_ino).second;
  }

  // COD10K has GT_Edge and GT_Instance beside GT_Object; none of those is a kind of mask folder.
  static std::string First(const std::vector<std::string>& folders, FolderKind kind) {
    const auto found =
        std::find_if(folders.begin(), folders.end(),
                     [kind](const std::string& name) { return KindOfFolder(name) == kind; });
    return found == folders.end() ? "" : *found;
  }

  void Add(const fs::path& images, const fs::path& masks, FolderKind split,
           const std::string& name) {
    const std::vector<std::string> mask_folders = FoldersIn(masks);
    bool split_inside = false;
    for (const std::string& child : FoldersIn(images)) {
      const FolderKind kind = KindOfFolder(child);
      if (!IsSplit(kind)) continue;
      split_inside = true;
      const std::string own_masks = First(mask_folders, kind);
      sets_.push_back({images / child, own_masks.empty() ? masks : masks / own_masks, kind, name});
    }
    if (!split_inside) sets_.push_back({images, masks, split, name});
  }

  std::vector<ImageSet> sets_;
  std::set<std::pair<dev_t, ino_t>> visited_;
  std::vector<std::string> seen_, lonely_;  // for the message where nothing is found
};

// What the root's own name says, so that the test half given as a root is never trained on. Of the
// folder above only a bundle's names count: "test" may be anybody's folder for trying things.
FolderKind SplitOfRoot(const fs::path& root) {
  std::error_code error;
  const fs::path real = fs::canonical(root, error);
  const FolderKind own = KindOfFolder(real.filename().native());
  if (IsSplit(own)) return own;
  const std::string above = real.parent_path().filename().native();
  return Lower(above).ends_with("dataset") ? KindOfFolder(above) : FolderKind::kOther;
}

}  // namespace

std::vector<ImageSet> FindImageSets(const fs::path& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (!fs::exists(status)) {
    if (error && error != std::errc::no_such_file_or_directory) FailToRead(root, error);
    throw LayoutError("there is no folder " + Printable(root.native()));
  }
  if (!fs::is_directory(status)) throw LayoutError(Printable(root.native()) + " is not a folder");
  Finder finder;
  finder.Visit(root, SplitOfRoot(root), "", 0);
  return std::move(finder).Found(root);
}

std::vector<std::string> FilesIn(const fs::path& folder) {
  return Names(folder, [](const fs::directory_entry& entry) {
    std::error_code error;
    return entry.is_regular_file(error);
  });
}

}  // namespace flowtrain::data
