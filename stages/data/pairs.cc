#include "stages/data/pairs.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace flowtrain::data {
namespace {

// Pictures by stem; of several with one stem the first by name. Counts what it sees.
std::map<std::string, std::string> Pictures(const std::filesystem::path& folder, size_t& count,
                                            std::vector<std::string>& repeated) {
  std::map<std::string, std::string> pictures;
  for (std::string& file : FilesIn(folder)) {
    if (!IsPicture(file)) continue;
    ++count;
    std::string stem(Stem(file));
    const auto [place, added] = pictures.emplace(std::move(stem), file);
    if (!added) repeated.push_back(std::move(file));
  }
  return pictures;
}

}  // namespace

Matched MatchPairs(const std::vector<ImageSet>& sets, const std::vector<ImageSet>& all) {
  Matched matched;
  std::map<std::string, std::map<std::string, std::string>> masks_of;  // by folder
  std::map<std::string, std::unordered_set<std::string>> used;         // stems of masks, by folder
  for (uint32_t s = 0; s < sets.size(); ++s) {
    const std::string folder = sets[s].masks.native();
    if (!masks_of.contains(folder)) {
      masks_of[folder] = Pictures(folder, matched.masks, matched.repeated);
    }
    const std::map<std::string, std::string>& masks = masks_of[folder];
    for (auto& [stem, image] : Pictures(sets[s].images, matched.images, matched.repeated)) {
      const auto mask = masks.find(stem);
      if (mask == masks.end()) {
        matched.images_alone.push_back(image);
        continue;
      }
      used[folder].insert(stem);
      matched.pairs.push_back({s, image, mask->second});
    }
  }
  for (const ImageSet& other : all) {
    const bool shares_masks = masks_of.contains(other.masks.native());
    const bool taken = std::any_of(sets.begin(), sets.end(),
                                   [&](const ImageSet& set) { return set.images == other.images; });
    if (!shares_masks || taken) continue;
    for (const std::string& file : FilesIn(other.images)) {
      used[other.masks.native()].emplace(Stem(file));
    }
  }
  for (const auto& [folder, masks] : masks_of) {
    for (const auto& [stem, mask] : masks) {
      if (!used[folder].contains(stem)) matched.masks_alone.push_back(mask);
    }
  }
  std::stable_sort(matched.pairs.begin(), matched.pairs.end(),
                   [](const Pair& a, const Pair& b) { return Stem(a.image) < Stem(b.image); });
  return matched;
}

}  // namespace flowtrain::data
