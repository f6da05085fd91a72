#include "stages/data/classification.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "stages/data/builtin/root.h"
#include "stages/data/class_strays.h"
#include "stages/data/classes/set.h"
#include "stages/data/drawn.h"
#include "stages/data/drawn_list.h"
#include "stages/data/read_files.h"

namespace flowtrain::data {
namespace {

FolderKind KindOf(const std::string& split) {
  return split == "train" ? FolderKind::kTrain
         : split == "val" ? FolderKind::kVal
                          : FolderKind::kTest;
}

// The named ones that the draw takes.
void Keep(std::vector<std::string>& names, const std::vector<bool>& drawn, bool kept = true) {
  size_t i = 0;
  std::erase_if(names, [&](const std::string&) { return drawn[i++] != kept; });
}

// Nobody has put anything there yet; unsorted images are something.
bool IsEmpty(const ClassHalf& half) {
  return half.classes.empty() && half.again.empty() && !HoldsPicture(half.folder);
}

void RequireSameClasses(const ClassHalf& a, const ClassHalf& b, OpenContext& context) {
  const std::string difference = Difference(a, b);
  if (difference.empty()) return;
  const bool unsorted = a.classes.empty() || b.classes.empty();
  context.Refuse("root", "a label would mean another class in each half: " + difference +
                             (unsorted ? "; sort the images into a folder a class" : ""));
}

}  // namespace

void Classification::Declare(Declaration<Params>& d) {
  d.Type("data.classification",
         "Images in a folder a class, as ImageNet has them: train/<class>/*, val/<class>/*. Labels "
         "number the folders in the order of their names.");
  d.Yields("image", Encoded());
  d.Yields("label", flowtrain::Label());
  d.Param("root", &Params::root,
          "The folder that holds train and val, its parent, or a folder of class folders; or "
          "\"builtin:classes\", a set that the program makes itself.")
      .Required();
  d.Param("split", &Params::split,
          "Which half to give. Where there is no val folder, val is a share of train, drawn from "
          "the run's seed.")
      .Choices({"train", "val", "test"});
  d.Param("val_share", &Params::val_share,
          "The share of each class in train that is kept for val; give train and val the same. "
          "Unused where there is a val folder.")
      .Range(0, 0.9);
  d.Param(
       "classes", &Params::classes,
       "Draw so many of the classes; their labels begin at 0, in the order of their names. Train "
       "and val draw the same. 0: all.")
      .Range(0, 1 << 20);
  d.Param("per_class", &Params::per_class, "Draw at most so many files of each class; 0: all.")
      .Range(0, 1ll << 31);
  d.Param("subset_seed", &Params::subset_seed, "What classes and files are drawn by.").Min(0);
}

const ClassHalf& Classification::HalfOf(const ClassTree& tree, OpenContext& context) const {
  if (const ClassHalf* whole = tree.half(FolderKind::kOther)) return *whole;
  const ClassHalf *train = tree.half(FolderKind::kTrain), *half = tree.half(KindOf(params_.split));
  const ClassHalf* val = tree.half(FolderKind::kVal);
  if (half == nullptr && params_.split == "val") half = train;  // a share of it
  if (half == nullptr) {
    std::vector<std::string> there;
    for (const ClassHalf& one : tree.halves) there.push_back(one.folder.native());
    context.Refuse("split", "there is no " + params_.split + " folder under " +
                                Printable(tree.folder.native()) + "; found " +
                                Listed(there, kClassesShown));
  }
  if (IsEmpty(*half)) {
    context.Refuse("split",
                   Printable(half->folder.native()) +
                       " is empty: it holds neither class folders nor images" +
                       (half == val ? "; without that folder, val is a share of train" : ""));
  }
  // An empty half hinders nobody who uses the other one.
  const bool trains = train != nullptr && !IsEmpty(*train);
  if (trains && val != nullptr && !IsEmpty(*val)) RequireSameClasses(*train, *val, context);
  if (trains) RequireSameClasses(*train, *half, context);
  if (half->classes.empty()) {
    context.Refuse("split", Printable(half->folder.native()) + " has no class folders");
  }
  return *half;
}

void Classification::DrawClasses(OpenContext& context) {
  if (params_.classes == 0) return;
  const size_t all = classes_.size();
  if (params_.classes > all) {
    context.Refuse("classes", std::string(all == 1 ? "there is" : "there are") + " only " +
                                  std::to_string(all) + " in " + Printable(folder_.native()));
  }
  Keep(classes_, Drawn({classes_.begin(), classes_.end()}, params_.classes, params_.subset_seed,
                       "data.classification classes"));
  context.Info(std::to_string(classes_.size()) + " of " + Count(all, "class", "classes") +
               ", drawn by seed " + std::to_string(params_.subset_seed));
}

void Classification::Share(const std::string& of_class, std::vector<std::string>& names,
                           uint64_t seed) const {
  Keep(names,
       Drawn({names.begin(), names.end()}, ValCount(names.size(), params_.val_share), seed,
             "data.classification val " + of_class),
       params_.split == "val");
}

void Classification::Draw(const std::string& of_class, std::vector<std::string>& names) const {
  Keep(names, Drawn({names.begin(), names.end()}, params_.per_class, params_.subset_seed,
                    "data.classification files " + of_class));
}

void Classification::ListFiles(bool share, OpenContext& context) {
  if (share && params_.split == "val" && params_.val_share == 0) {
    context.Refuse("val_share", "is 0, and there is no val folder: nothing is left for val");
  }
  ClassStrays strays;
  strays.LookBeside(folder_);
  std::vector<std::string> empty, few;
  size_t all = 0, own = 0;
  for (uint32_t label = 0; label < classes_.size(); ++label) {
    context.Progress("listing class folders", label, classes_.size());
    std::vector<std::string> names = strays.PicturesOf(folder_, classes_[label]);
    if (names.empty()) empty.push_back(classes_[label]);
    all += names.size();
    if (share) Share(classes_[label], names, context.seed());
    own += names.size();
    if (params_.per_class > 0) Draw(classes_[label], names);
    if (!names.empty() && names.size() < params_.per_class) few.push_back(classes_[label]);
    for (std::string& name : names) files_.push_back({label, std::move(name)});
  }
  for (const std::string& text : strays.Texts()) context.Warn(text);
  if (files_.empty()) {
    context.Refuse(all == 0 ? "root" : "val_share",
                   all == 0
                       ? "no class folder in " + Printable(folder_.native()) + " holds an image"
                       : "no class has two images to share between train and val");
  }
  if (share) {
    context.Info(std::to_string(own) + " of " + Count(all, "image", "images") + ": " +
                 (params_.split == "val" ? "the share for val" : "the rest is for val"));
  }
  if (!empty.empty()) {
    context.Warn(Count(empty.size(), "class folder holds", "class folders hold") +
                 " no image: " + Listed(empty, kClassesShown));
  }
  if (!few.empty()) {
    context.Warn(Count(few.size(), "class has", "classes have") + " fewer than " +
                 std::to_string(params_.per_class) + " images: " + Listed(few, kClassesShown));
  }
}

void Classification::WriteList(const ClassTree& tree, OpenContext& context) const {
  const std::filesystem::path inside = folder_.lexically_relative(tree.folder);
  std::vector<DrawnFile> files;
  for (const File& file : files_) {
    files.push_back({file.label, (inside / classes_[file.label] / file.name).lexically_normal()});
  }
  try {
    const std::filesystem::path list =
        WriteDrawn(context.cache_dir(), params_.split + "-" + std::to_string(classes_.size()),
                   classes_, files);
    context.Info("what was drawn is listed in " + Printable(list.native()));
  } catch (const Error& error) {
    context.Warn(std::string("what was drawn is not listed: ") + error.what());
  }
}

void Classification::Open(OpenContext& context) {
  const auto made = [](OpenContext& c) { return classes::EnsureSet(c); };
  const std::filesystem::path root =
      builtin::RootFolder(params_.root.text, params_.split, {classes::kRoot, made}, context);
  try {
    const ClassTree tree = FindClasses(root);
    const ClassHalf& half = HalfOf(tree, context);
    folder_ = half.folder;
    classes_ = half.classes;
    if (!half.again.empty()) {
      context.Warn(
          Count(half.again.size(),
                "folder is left out, because it leads to one that is there already",
                "folders are left out, because they lead to folders that are there already") +
          ": " + Listed(half.again, kClassesShown));
    }
    DrawClasses(context);
    ListFiles(params_.split != "test" && tree.half(FolderKind::kVal) == nullptr, context);
    if (params_.classes > 0 || params_.per_class > 0) WriteList(tree, context);
  } catch (const LayoutError& error) {
    context.Refuse("root", error.what());
  }
  context.Info(params_.split + ": " + Count(files_.size(), "image", "images") + " of " +
               Count(classes_.size(), "class", "classes") + " from " + Printable(folder_.native()));
}

uint64_t Classification::Fingerprint() const {
  Fingerprinter of;
  for (const File& file : files_) of.Add(file.label).Add(classes_[file.label]).Add(file.name);
  return of.value();
}

void Classification::Read(uint64_t index, Sample& sample, ReadContext& context) const {
  const File& file = files_.at(index);
  ReadImage(folder_ / classes_[file.label] / file.name, sample, context);
  sample.set_label("label", file.label);
}

}  // namespace flowtrain::data
