// Finds the folders of a segmentation dataset under a root, in any of the layouts in use:
//   {Train,Test}/{Image,GT_Object}             COD10K
//   {TrainDataset,TestDataset/<set>}/{Imgs,GT} bundles of several sets
//   Images/{Train,Test} and one GT             CAMO
//   {Train,Test}/<set>/{Image,Mask}
//   {Image,Mask}                               a folder of one's own
// The root may be the dataset's folder, its parent, or one of the folders inside. Nothing is read
// but folders. Used once, in Open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stages/data/folders.h"

namespace flowtrain::data {

// A folder of images and the folder where their masks lie.
struct ImageSet {
  std::filesystem::path images, masks;
  FolderKind split =
      FolderKind::kOther;  // kTrain, kVal, kTest; kOther: no such folder was on the way
  std::string name;        // folders on the way but the split's; may be empty
};

// In the order of the folders' names, bytewise. A folder that is reached twice (symbolic links)
// counts once. Throws LayoutError where there is no such folder, it can't be read, or no image
// folder has a mask folder, saying what was found instead.
std::vector<ImageSet> FindImageSets(const std::filesystem::path& root);

}  // namespace flowtrain::data
