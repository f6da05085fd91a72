// The smallest rectangle that holds a mask's foreground.
#pragma once

#include <algorithm>
#include <cstddef>

#include "model/metrics/maps.h"

namespace flowtrain::model::metrics {

struct ForegroundBox {
  size_t top = 1, bottom = 0;  // both inclusive; top > bottom without foreground
  size_t left = 0, right = 0;

  bool empty() const { return top > bottom; }
  size_t width() const { return right - left + 1; }
};

inline ForegroundBox FindForeground(const ByteMap& mask) {
  ForegroundBox box;
  for (size_t y = 0; y < mask.height; ++y) {
    const auto row = mask.pixels.subspan(y * mask.width, mask.width);
    const auto first = std::find_if(row.begin(), row.end(), IsForeground);
    if (first == row.end()) continue;
    const auto last = std::find_if(row.rbegin(), row.rend(), IsForeground);
    const auto left = static_cast<size_t>(first - row.begin());
    const auto right = static_cast<size_t>(row.rend() - last) - 1;
    box = box.empty()
              ? ForegroundBox{y, y, left, right}
              : ForegroundBox{box.top, y, std::min(box.left, left), std::max(box.right, right)};
  }
  return box;
}

}  // namespace flowtrain::model::metrics
