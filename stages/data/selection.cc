#include "stages/data/selection.h"

#include <algorithm>
#include <iterator>

namespace flowtrain::data {
namespace {

const char* HalfName(FolderKind kind) {
  switch (kind) {
    case FolderKind::kTrain:
      return "Train";
    case FolderKind::kVal:
      return "Val";
    case FolderKind::kTest:
      return "Test";
    default:
      return "neither Train nor Test";
  }
}

bool HasName(const ImageSet& set, const std::string& name) {
  const std::string own = Lower(set.name), wanted = Lower(name);
  return own == wanted || own.ends_with("/" + wanted);
}

std::vector<ImageSet> Half(const std::vector<ImageSet>& all, FolderKind kind) {
  std::vector<ImageSet> sets;
  std::copy_if(all.begin(), all.end(), std::back_inserter(sets),
               [kind](const ImageSet& set) { return set.split == kind; });
  return sets;
}

}  // namespace

std::vector<ImageSet> SetsNamed(std::vector<ImageSet> all, const std::vector<std::string>& names,
                                const std::filesystem::path& root, OpenContext& context) {
  for (const std::string& name : names) {
    const auto has_it = [&](const ImageSet& set) { return HasName(set, name); };
    if (std::any_of(all.begin(), all.end(), has_it)) continue;
    std::vector<std::string> there;
    for (const ImageSet& set : all) {
      const bool known = std::find(there.begin(), there.end(), set.name) != there.end();
      if (!set.name.empty() && !known) there.push_back(set.name);
    }
    context.Refuse("sets",
                   "there is no set " + Quoted(name) + " under " + Printable(root.native()) +
                       (there.empty() ? "; what is there has no names"
                                      : (there.size() == 1 ? "; there is " : "; there are ") +
                                            Listed(there, 20)));
  }
  std::erase_if(all, [&](const ImageSet& set) {
    const auto is_its = [&](const std::string& name) { return HasName(set, name); };
    return !names.empty() && std::none_of(names.begin(), names.end(), is_its);
  });
  return all;
}

Selection SetsOfSplit(const std::vector<ImageSet>& all, const std::string& split,
                      const std::filesystem::path& root, OpenContext& context) {
  const FolderKind wanted = split == "train" ? FolderKind::kTrain
                            : split == "val" ? FolderKind::kVal
                                             : FolderKind::kTest;
  Selection selection;
  selection.share = wanted != FolderKind::kTest && Half(all, FolderKind::kVal).empty();
  const FolderKind source = selection.share ? FolderKind::kTrain : wanted;
  const std::vector<ImageSet> halfless = Half(all, FolderKind::kOther);
  if (halfless.size() == all.size()) {
    selection.sets = all;
    return selection;
  }
  selection.sets = Half(all, source);
  if (selection.sets.empty()) {
    context.Refuse("split", std::string("there is no ") + HalfName(source) + " folder under " +
                                Printable(root.native()) + "; found " + Described(all));
  }
  if (!halfless.empty()) context.Info("left out: " + Described(halfless));
  return selection;
}

std::string Described(const std::vector<ImageSet>& sets) {
  std::vector<std::string> folders;
  for (const ImageSet& set : sets) {
    folders.push_back(set.images.native() + " (" + HalfName(set.split) + ")");
  }
  return Listed(folders, 5);
}

}  // namespace flowtrain::data
