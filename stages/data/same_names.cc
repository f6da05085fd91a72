#include "stages/data/same_names.h"

#include <flowtrain/rng.h>

#include <algorithm>
#include <utility>

namespace flowtrain::data {

std::vector<uint64_t> NamedAsBefore(uint64_t count,
                                    const std::function<std::string_view(uint64_t)>& name) {
  std::vector<std::pair<uint64_t, uint64_t>> hashed;  // hash of the name, index
  hashed.reserve(count);
  for (uint64_t i = 0; i < count; ++i) hashed.emplace_back(Rng::HashStream(name(i)), i);
  std::sort(hashed.begin(), hashed.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const int order = name(a.second).compare(name(b.second));
    return order != 0 ? order < 0 : a.second < b.second;
  });
  std::vector<uint64_t> again;
  for (size_t i = 1; i < hashed.size(); ++i) {
    if (hashed[i].first == hashed[i - 1].first &&
        name(hashed[i].second) == name(hashed[i - 1].second))
      again.push_back(hashed[i].second);
  }
  std::sort(again.begin(), again.end());
  return again;
}

}  // namespace flowtrain::data
