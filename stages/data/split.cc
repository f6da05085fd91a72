#include "stages/data/split.h"

#include <utility>

#include "stages/data/drawn.h"

namespace flowtrain::data {

bool IsCam(std::string_view file_name) { return file_name.starts_with("COD10K-CAM-"); }
bool IsNonCam(std::string_view file_name) { return file_name.starts_with("COD10K-NonCAM-"); }

std::vector<bool> ValShare(const std::vector<Pair>& pairs, double share, uint64_t seed) {
  std::vector<std::string_view> stems;
  for (const Pair& pair : pairs) stems.push_back(Stem(pair.image));
  return Drawn(stems, ValCount(pairs.size(), share), seed, "data.segmentation val");
}

std::vector<Pair> Limited(std::vector<Pair> pairs, uint64_t limit) {
  if (limit == 0 || limit >= pairs.size()) return pairs;
  std::vector<Pair> few;
  for (uint64_t i = 0; i < limit; ++i) few.push_back(std::move(pairs[i * pairs.size() / limit]));
  return few;
}

}  // namespace flowtrain::data
