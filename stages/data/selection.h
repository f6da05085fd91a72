// Which of a root's image sets serve a split. Used once, in Open; refusals go through the context.
#pragma once

#include <flowtrain/context.h>

#include <filesystem>
#include <string>
#include <vector>

#include "stages/data/layout.h"

namespace flowtrain::data {

struct Selection {
  std::vector<ImageSet> sets;
  bool share = false;  // train and val share the sets' pairs, because there is no Val folder
};

// Those with one of the names, in any case ("NC4K" finds "bundle/NC4K" too); no names: all. Refuses
// "sets" for a name that is not there.
std::vector<ImageSet> SetsNamed(std::vector<ImageSet> all, const std::vector<std::string>& names,
                                const std::filesystem::path& root, OpenContext& context);

// `split`: train, val or test. A root without Train, Val and Test folders serves each. Refuses
// "split" where the root has no such half.
Selection SetsOfSplit(const std::vector<ImageSet>& all, const std::string& split,
                      const std::filesystem::path& root, OpenContext& context);

// Their folders of images and which half each is, a few of them, for messages.
std::string Described(const std::vector<ImageSet>& sets);

}  // namespace flowtrain::data
