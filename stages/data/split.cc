#include "stages/data/split.h"

#include <flowtrain/rng.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace flowtrain::data {

bool IsCam(std::string_view file_name) { return file_name.starts_with("COD10K-CAM-"); }
bool IsNonCam(std::string_view file_name) { return file_name.starts_with("COD10K-NonCAM-"); }

std::vector<bool> ValShare(const std::vector<Pair>& pairs, double share, uint64_t seed) {
  std::vector<bool> val(pairs.size(), false);
  if (pairs.size() < 2 || share == 0) return val;
  std::vector<std::pair<uint64_t, size_t>> keys;
  for (size_t i = 0; i < pairs.size(); ++i) {
    Rng rng(seed, Rng::HashStream("data.segmentation val"), 0,
            Rng::HashStream(Stem(pairs[i].image)));
    keys.emplace_back(rng.NextU64(), i);
  }
  std::sort(keys.begin(), keys.end());
  const auto wanted = static_cast<size_t>(std::llround(share * static_cast<double>(pairs.size())));
  const size_t count = std::clamp<size_t>(wanted, 1, pairs.size() - 1);
  for (size_t i = 0; i < count; ++i) val[keys[i].second] = true;
  return val;
}

std::vector<Pair> Limited(std::vector<Pair> pairs, uint64_t limit) {
  if (limit == 0 || limit >= pairs.size()) return pairs;
  std::vector<Pair> few;
  for (uint64_t i = 0; i < limit; ++i) few.push_back(std::move(pairs[i * pairs.size() / limit]));
  return few;
}

}  // namespace flowtrain::data
