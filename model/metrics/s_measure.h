// Structure measure (D.-P. Fan et al., Structure-measure: a new way to evaluate foreground maps,
// ICCV 2017), alpha = 0.5.
#pragma once

#include "model/metrics/levels.h"
#include "model/metrics/regions.h"

namespace flowtrain::model::metrics {

// max(0, (object + region) / 2), in 0..1; 1 - mean(p) without foreground, mean(p) without
// background.
//
// Two cases that the reference leaves to rounding, or to NaN, have a value here: a quadrant without
// pixels (the centroid lies on the last row or column) adds 0, its weight; a quadrant whose
// prediction and mask are both constant scores 1, as its variances are 0.
double SMeasure(const Regions& regions, const Levels& levels);

}  // namespace flowtrain::model::metrics
