// F-measure (R. Achanta et al., Frequency-tuned salient region detection, CVPR 2009), beta^2 = 0.3.
#pragma once

#include <cstdint>

#include "model/metrics/binary_counts.h"

namespace flowtrain::model::metrics {

// P = TP / predicted (0 / 0 is 0), R = TP / max(foreground, 1), F = 1.3 P R / (0.3 P + R), 0 where
// there is no true positive. In 0..1.
double FMeasure(const BinaryCounts& counts, int64_t foreground_pixels);

}  // namespace flowtrain::model::metrics
