#include "stages/data/same_names.h"

#include <flowtrain/rng.h>

#include <algorithm>
#include <utility>

namespace flowtrain::data {

std::vector<NamedAgain> NamedAsBefore(uint64_t count,
                                      const std::function<std::string_view(uint64_t)>& name) {
  // Hash of the name, index: a map of ten million paths would take half a gigabyte.
  std::vector<std::pair<uint64_t, uint64_t>> hashed;
  hashed.reserve(count);
  for (uint64_t i = 0; i < count; ++i) hashed.emplace_back(Rng::HashStream(name(i)), i);
  std::sort(hashed.begin(), hashed.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    const int order = name(a.second).compare(name(b.second));
    return order != 0 ? order < 0 : a.second < b.second;
  });
  std::vector<NamedAgain> again;
  uint64_t first = 0;
  for (size_t i = 0; i < hashed.size(); ++i) {
    const bool same = i > 0 && hashed[i].first == hashed[i - 1].first &&
                      name(hashed[i].second) == name(hashed[i - 1].second);
    if (same) {
      again.push_back({hashed[i].second, first});
    } else {
      first = hashed[i].second;
    }
  }
  std::sort(again.begin(), again.end(),
            [](const NamedAgain& a, const NamedAgain& b) { return a.index < b.index; });
  return again;
}

}  // namespace flowtrain::data
