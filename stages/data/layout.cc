#include "stages/data/layout.h"

#include <algorithm>
#include <utility>

namespace flowtrain::data {
namespace {

namespace fs = std::filesystem;

// parent / bundle / TestDataset / NC4K: three folders below the root.
constexpr int kMostLevels = 3;
// A root that is somebody's home folder ends soon, too.
constexpr size_t kMostFolders = 4096;

class Finder {
 public:
  void Visit(const fs::path& folder, FolderKind split, const std::string& name, int level) {
    if (visited_.size() == kMostFolders || !visited_.Add(folder)) return;
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
      why += (lonely_.size() == 1 ? "; there is " : "; there are ") + Listed(lonely_, 3) +
             " without a folder of masks beside " + (lonely_.size() == 1 ? "it" : "them");
    } else if (seen_.empty()) {
      why += "; there are no folders in it";
    } else {
      why += "; " + FoldersText(seen_, 12);
    }
    if (visited_.size() >= kMostFolders) {
      why += "; gave up after " + std::to_string(kMostFolders) +
             " folders: name the dataset's own folder";
    }
    throw LayoutError(why);
  }

 private:
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
  SeenFolders visited_;
  std::vector<std::string> seen_, lonely_;  // for the message where nothing is found
};

}  // namespace

std::vector<ImageSet> FindImageSets(const fs::path& root) {
  RequireFolder(root);
  Finder finder;
  finder.Visit(root, SplitOfRoot(root), "", 0);
  return std::move(finder).Found(root);
}

}  // namespace flowtrain::data
