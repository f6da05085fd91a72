#include "stages/data/drawn.h"

#include <flowtrain/rng.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace flowtrain::data {

std::vector<bool> Drawn(const std::vector<std::string_view>& names, size_t count, uint64_t seed,
                        std::string_view stream) {
  std::vector<bool> drawn(names.size(), count >= names.size());
  if (count == 0 || count >= names.size()) return drawn;
  std::vector<std::pair<uint64_t, size_t>> keys;
  for (size_t i = 0; i < names.size(); ++i) {
    Rng rng(seed, Rng::HashStream(stream), 0, Rng::HashStream(names[i]));
    keys.emplace_back(rng.NextU64(), i);
  }
  std::nth_element(keys.begin(), keys.begin() + static_cast<ptrdiff_t>(count), keys.end());
  for (size_t i = 0; i < count; ++i) drawn[keys[i].second] = true;
  return drawn;
}

size_t ValCount(size_t all, double share) {
  if (all < 2 || share == 0) return 0;
  const auto wanted = static_cast<size_t>(std::llround(share * static_cast<double>(all)));
  return std::clamp<size_t>(wanted, 1, all - 1);
}

}  // namespace flowtrain::data
