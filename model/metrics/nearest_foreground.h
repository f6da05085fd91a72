// For each pixel the nearest foreground pixel and its exact Euclidean distance, row by row: a feature
// transform (C. R. Maurer et al., PAMI 25, 2003; the lower envelope of P. Felzenszwalb and
// D. Huttenlocher, 2012). Scratch that one thread reuses from image to image.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/metrics/maps.h"

namespace flowtrain::model::metrics {

class NearestForeground {
 public:
  // Looks at a mask that has foreground. Keeps a view of nothing.
  void Build(const ByteMap& mask);

  // Of row `y`: squared_distances[x], rows[x] and columns[x] of the nearest foreground pixel. Among
  // equally near ones the smallest column, then the smallest row: the one that the reference takes.
  // Each span holds width values.
  void Row(size_t y, std::span<int32_t> squared_distances, std::span<int32_t> rows,
           std::span<int32_t> columns);

 private:
  // A column whose foreground is the nearest from `start` until the next site's start.
  struct Site {
    int32_t start;
    int32_t column;
    int32_t row;
    int32_t squared_height;  // (row - y)^2
  };

  void FindSites(int32_t y);

  int32_t width_ = 0;
  std::vector<int32_t> occupied_;      // the columns that have foreground
  std::vector<int32_t> nearest_rows_;  // [height, width]: within the column; of occupied columns
  std::vector<Site> sites_;
};

}  // namespace flowtrain::model::metrics
