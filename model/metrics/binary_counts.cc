#include "model/metrics/binary_counts.h"

#include <algorithm>
#include <cmath>

#include "model/metrics/numpy_sum.h"

namespace flowtrain::model::metrics {
namespace {

template <class Test>
BinaryCounts CountWhere(const Regions& regions, const Levels& levels, Test foreground) {
  BinaryCounts counts;
  for (size_t v = 0; v < 256; ++v) {
    if (!foreground(levels.p[v])) continue;
    counts.true_positives += regions.foreground[v];
    counts.false_positives += regions.background[v];
  }
  return counts;
}

}  // namespace

BinaryCounts CountAdaptive(const Regions& regions, const Levels& levels,
                           std::span<const uint8_t> prediction) {
  double sum = 0;
  for (size_t v = 0; v < 256; ++v) {
    sum += static_cast<double>(regions.foreground[v] + regions.background[v]) * levels.p[v];
  }
  const double pixels = static_cast<double>(regions.pixels);
  double threshold = 2 * (sum / pixels);
  for (size_t v = 0; v < 256; ++v) {
    const bool occupied = regions.foreground[v] + regions.background[v] > 0;
    // Far above what summation loses, far below the distance of two levels.
    if (occupied && std::abs(levels.p[v] - threshold) < 1e-10) {
      threshold = 2 * (NumpySum(prediction, levels.p) / pixels);
      break;
    }
  }
  threshold = std::min(threshold, 1.0);
  return CountWhere(regions, levels, [threshold](double p) { return p >= threshold; });
}

std::array<BinaryCounts, 256> CountCurve(const Regions& regions, const Levels& levels) {
  std::array<BinaryCounts, 256> curve{};
  for (size_t v = 0; v < 256; ++v) {
    BinaryCounts& at = curve[255 - levels.q[v]];
    at.true_positives += regions.foreground[v];
    at.false_positives += regions.background[v];
  }
  for (size_t i = 1; i < 256; ++i) {
    curve[i].true_positives += curve[i - 1].true_positives;
    curve[i].false_positives += curve[i - 1].false_positives;
  }
  return curve;
}

BinaryCounts CountAtHalf(const Regions& regions, const Levels& levels) {
  return CountWhere(regions, levels, [](double p) { return p > 0.5; });
}

}  // namespace flowtrain::model::metrics
