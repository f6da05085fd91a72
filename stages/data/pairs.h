// Images and their masks, matched by stem. Used once, in Open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/data/layout.h"

namespace flowtrain::data {

struct Pair {
  uint32_t set = 0;         // of the sets that were matched
  std::string image, mask;  // file names
};

struct Matched {
  std::vector<Pair>
      pairs;  // sorted by stem, bytewise; equal stems of several sets in the sets' order
  std::vector<std::string> images_alone, masks_alone;  // file names without their other half
  std::vector<std::string> repeated;  // files left out, because an earlier one has the same stem
  size_t images = 0, masks = 0;       // pictures seen
};

// Pairs of the sets; `all` are those of the whole root: a mask that belongs to an image of another
// split is not alone. Throws LayoutError for a folder that can't be read.
Matched MatchPairs(const std::vector<ImageSet>& sets, const std::vector<ImageSet>& all);

}  // namespace flowtrain::data
