#include "model/metrics/levels.h"

#include <algorithm>

namespace flowtrain::model::metrics {

Levels NormalizedLevels(std::span<const uint8_t> prediction) {
  uint8_t lowest = 255;
  uint8_t highest = 0;
  for (const uint8_t v : prediction) {
    lowest = std::min(lowest, v);
    highest = std::max(highest, v);
  }
  Levels levels{};
  levels.lowest = lowest;
  const double low = lowest / 255.0;
  const double high = highest / 255.0;
  // Levels that the image doesn't have would leave 0..1, and stay 0.
  for (int v = lowest; v <= highest; ++v) {
    double p = v / 255.0;
    if (highest != lowest) p = (p - low) / (high - low);
    levels.p[v] = p;
    levels.q[v] = static_cast<uint8_t>(p * 255);
  }
  return levels;
}

}  // namespace flowtrain::model::metrics
