// Weighted F-measure (R. Margolin et al., How to evaluate foreground maps?, CVPR 2014), beta^2 = 1.
// The costliest of the metrics: 7 of 10 parts of an image's time.
#pragma once

#include <cstdint>
#include <vector>

#include "model/metrics/levels.h"
#include "model/metrics/maps.h"
#include "model/metrics/nearest_foreground.h"

namespace flowtrain::model::metrics {

// What one thread reuses from image to image.
struct WeightedFScratch {
  NearestForeground nearest;
  std::vector<int32_t> squared_distances, columns;  // of one row
  std::vector<double> errors;                       // one row, three zeros on either side
  std::vector<double> blurred;  // seven rows, by turns, blurred along themselves
};

// In 0..1; 0 without foreground. The maps are of one size.
double WeightedF(const ByteMap& prediction, const ByteMap& mask, const Levels& levels,
                 WeightedFScratch& scratch);

}  // namespace flowtrain::model::metrics
