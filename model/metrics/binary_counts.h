// How often a binarised prediction is right: at the adaptive threshold, at the 256 of a curve, at
// one half. From the histograms, whatever the image's size.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/metrics/levels.h"
#include "model/metrics/regions.h"

namespace flowtrain::model::metrics {

struct BinaryCounts {
  int64_t true_positives = 0;   // predicted foreground on foreground
  int64_t false_positives = 0;  // predicted foreground on background

  int64_t predicted() const { return true_positives + false_positives; }
};

// p >= min(2 * mean(p), 1).
BinaryCounts CountAdaptive(const Regions& regions, const Levels& levels,
                           std::span<const uint8_t> prediction);

// q >= 255, 254, ..., 0.
std::array<BinaryCounts, 256> CountCurve(const Regions& regions, const Levels& levels);

// p > 0.5.
BinaryCounts CountAtHalf(const Regions& regions, const Levels& levels);

}  // namespace flowtrain::model::metrics
