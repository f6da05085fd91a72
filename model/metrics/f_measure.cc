#include "model/metrics/f_measure.h"

#include <algorithm>

namespace flowtrain::model::metrics {

double FMeasure(const BinaryCounts& counts, int64_t foreground_pixels) {
  constexpr double kBeta2 = 0.3;
  if (counts.true_positives == 0) return 0;
  const double hits = static_cast<double>(counts.true_positives);
  const double precision = hits / static_cast<double>(counts.predicted());
  const double recall = hits / static_cast<double>(std::max<int64_t>(foreground_pixels, 1));
  return (1 + kBeta2) * precision * recall / (kBeta2 * precision + recall);
}

}  // namespace flowtrain::model::metrics
