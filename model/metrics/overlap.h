// IoU (Jaccard) and Dice of binary maps. From counts, so that they serve one image and, summed over
// images, a pooled figure.
#pragma once

#include <cstdint>

namespace flowtrain::model::metrics {

struct Overlap {
  int64_t true_positives = 0;
  int64_t false_positives = 0;
  int64_t false_negatives = 0;
};

// TP / (TP + FP + FN); 0 where there is nothing on either side. In 0..1.
inline double IoU(const Overlap& o) {
  const int64_t either = o.true_positives + o.false_positives + o.false_negatives;
  return either == 0 ? 0 : static_cast<double>(o.true_positives) / static_cast<double>(either);
}

// 2 TP / (2 TP + FP + FN); 0 where there is nothing on either side. In 0..1.
inline double Dice(const Overlap& o) {
  const int64_t both = 2 * o.true_positives;
  const int64_t sides = both + o.false_positives + o.false_negatives;
  return sides == 0 ? 0 : static_cast<double>(both) / static_cast<double>(sides);
}

}  // namespace flowtrain::model::metrics
