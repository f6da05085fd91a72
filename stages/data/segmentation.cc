#include "stages/data/segmentation.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "stages/data/builtin/root.h"
#include "stages/data/camouflage/set.h"
#include "stages/data/common_folder.h"
#include "stages/data/read_files.h"
#include "stages/data/selection.h"
#include "stages/data/split.h"

namespace flowtrain::data {
namespace {

constexpr size_t kNamesShown = 5;

}  // namespace

void Segmentation::Declare(Declaration<Params>& d) {
  d.Type("data.segmentation",
         "Images and masks in folders, matched by name: COD10K, CAMO, the usual bundles, or a "
         "folder of images beside one of masks.");
  d.Yields("image", Encoded());
  d.Yields("mask", Encoded());
  d.Param("root", &Params::root,
          "The dataset's folder or its parent, or \"builtin:camouflage\", a set that the program "
          "makes itself.")
      .Required();
  d.Param("split", &Params::split,
          "Which half to give. Where there is no Val folder, val is a share of Train, drawn from "
          "the run's seed.")
      .Choices({"train", "val", "test"});
  d.Param("val_share", &Params::val_share,
          "The share of Train that is kept for val; give train and val the same. Unused where "
          "there is a Val folder.")
      .Range(0, 0.9);
  d.Param("sets", &Params::sets,
          "Names of the sets to use where the root holds several (CAMO, NC4K, ...); empty: all.");
  d.Param("cam_only", &Params::cam_only,
          "Leave out pairs whose names begin with COD10K-NonCAM, as published results do.");
  d.Param("limit", &Params::limit,
          "At most so many pairs, taken evenly from all, for quick runs; 0: all.")
      .Min(0);
}

std::vector<Pair> Segmentation::Paired(const std::vector<ImageSet>& all,
                                       OpenContext& context) const {
  Matched matched = MatchPairs(sets_, all);
  if (params_.cam_only) {
    // COD10K's pictures without a camouflaged object need no mask.
    std::erase_if(matched.images_alone, IsNonCam);
    std::erase_if(matched.masks_alone, IsNonCam);
  }
  if (matched.pairs.empty()) {
    std::string why = "no image has a mask of the same name in " + Described(sets_) + ": " +
                      Count(matched.images, "image", "images") + ", " +
                      Count(matched.masks, "mask", "masks");
    if (!matched.images_alone.empty()) {
      why += "; images without a mask: " + Listed(matched.images_alone, kNamesShown);
    }
    if (!matched.masks_alone.empty()) {
      why += "; masks without an image: " + Listed(matched.masks_alone, kNamesShown);
    }
    context.Refuse("root", why);
  }
  const auto report = [&](const std::vector<std::string>& names, const char* one,
                          const char* many) {
    if (!names.empty()) {
      context.Warn(Count(names.size(), one, many) + ": " + Listed(names, kNamesShown));
    }
  };
  report(matched.images_alone, "image has no mask and is left out",
         "images have no mask and are left out");
  report(matched.masks_alone, "mask has no image and is left out",
         "masks have no image and are left out");
  report(matched.repeated, "file is left out, another has its name before the dot",
         "files are left out, others have their names before the dot");

  const size_t before = matched.pairs.size();
  const size_t non_cam = std::count_if(matched.pairs.begin(), matched.pairs.end(),
                                       [](const Pair& p) { return IsNonCam(p.image); });
  if (non_cam > 0 && params_.cam_only) {
    std::erase_if(matched.pairs, [](const Pair& p) { return IsNonCam(p.image); });
    if (matched.pairs.empty()) {
      context.Refuse(
          "cam_only",
          (before == 1 ? "the only pair in " : "all " + std::to_string(before) + " pairs in ") +
              Described(sets_) + (before == 1 ? " is" : " are") + " COD10K-NonCAM");
    }
    context.Info(std::to_string(matched.pairs.size()) + " of " + Count(before, "pair", "pairs") +
                 ": COD10K-CAM only");
  } else if (non_cam > 0) {
    context.Info(Count(before, "pair", "pairs") + ", " + std::to_string(non_cam) +
                 " of them COD10K-NonCAM");
  }
  return std::move(matched.pairs);
}

std::vector<Pair> Segmentation::OwnShare(std::vector<Pair> pairs, OpenContext& context) const {
  const bool val = params_.split == "val";
  if (val && params_.val_share == 0) {
    context.Refuse("val_share", "is 0, and there is no Val folder: nothing is left for val");
  }
  if (val && pairs.size() < 2) {
    context.Refuse("val_share", "one pair can't be shared between train and val");
  }
  const std::vector<bool> is_val = ValShare(pairs, params_.val_share, context.seed());
  std::vector<Pair> own;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (is_val[i] == val) own.push_back(std::move(pairs[i]));
  }
  context.Info(std::to_string(own.size()) + " of " + Count(pairs.size(), "pair", "pairs") + ": " +
               (val ? "the share for val" : "the rest is for val"));
  return own;
}

void Segmentation::Open(OpenContext& context) {
  const auto made = [](OpenContext& c) { return camouflage::EnsureSet(c); };
  const std::filesystem::path root =
      builtin::RootFolder(params_.root.text, params_.split, {camouflage::kRoot, made}, context);
  try {
    const std::vector<ImageSet> all = SetsNamed(FindImageSets(root), params_.sets, root, context);
    Selection selection = SetsOfSplit(all, params_.split, root, context);
    sets_ = std::move(selection.sets);
    std::vector<Pair> pairs = Paired(all, context);
    if (selection.share) pairs = OwnShare(std::move(pairs), context);
    pairs_ = Limited(std::move(pairs), params_.limit);
  } catch (const LayoutError& error) {
    context.Refuse("root", error.what());
  }
  context.Info(params_.split + ": " + Count(pairs_.size(), "pair", "pairs") + " from " +
               Described(sets_));
}

uint64_t Segmentation::Fingerprint() const {
  struct Folders {
    std::string images, masks;  // empty: no pair is from there
  };
  std::vector<Folders> folders(sets_.size());
  CommonFolder common;
  for (const Pair& pair : pairs_) {
    Folders& of_set = folders[pair.set];
    if (!of_set.images.empty()) continue;
    of_set = {(sets_[pair.set].images / "").lexically_normal(),
              (sets_[pair.set].masks / "").lexically_normal()};
    common.Add(of_set.images);
    common.Add(of_set.masks);
  }
  Fingerprinter of;
  for (const Pair& pair : pairs_) {
    of.Add(common.Inside(folders[pair.set].images)).Add(pair.image);
    of.Add(common.Inside(folders[pair.set].masks)).Add(pair.mask);
  }
  return of.value();
}

void Segmentation::Read(uint64_t index, Sample& sample, ReadContext& context) const {
  const Pair& pair = pairs_.at(index);
  const ImageSet& set = sets_[pair.set];
  ReadImage(set.images / pair.image, sample, context);
  ReadMask(set.masks / pair.mask, sample, context);
}

}  // namespace flowtrain::data
