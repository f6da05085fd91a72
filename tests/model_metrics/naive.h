// The metrics as their papers write them: pixel by pixel, binarised anew for each threshold, the
// whole 7 x 7 Gaussian, all foreground pixels searched for the nearest. Slow, and shares no code
// with what it checks.
#pragma once

#include "tests/model_metrics/images.h"

namespace flowtrain::model::metrics {

struct Nearest {
  int64_t squared_distance = -1;
  size_t row = 0, column = 0;
};

// Among equally near pixels the smallest column, then the smallest row.
Nearest NaiveNearest(const Image& mask, size_t y, size_t x);

double NaiveMae(const Image& prediction, const Image& mask);
double NaiveS(const Image& prediction, const Image& mask);
double NaiveWeightedF(const Image& prediction, const Image& mask);
Curve NaiveF(const Image& prediction, const Image& mask);
Curve NaiveE(const Image& prediction, const Image& mask);

}  // namespace flowtrain::model::metrics
