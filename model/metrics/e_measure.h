// E-measure (D.-P. Fan et al., Enhanced-alignment measure for binary foreground map evaluation,
// IJCAI 2018).
#pragma once

#include <cstdint>

#include "model/metrics/binary_counts.h"

namespace flowtrain::model::metrics {

// The alignment of two binary maps, each minus its mean: sum((2ab / (a^2 + b^2) + 1)^2 / 4) over
// pixels - 1, where a sum has only four different terms. Without foreground: the background that is
// predicted as such; without background: the predicted foreground. In 0..pixels / (pixels - 1): a
// perfect prediction gives slightly more than 1, and that of a single pixel 1 / EPS.
double EMeasure(const BinaryCounts& counts, int64_t foreground_pixels, int64_t pixels);

}  // namespace flowtrain::model::metrics
