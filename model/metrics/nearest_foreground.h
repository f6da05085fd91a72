// For each pixel the nearest foreground pixel and its exact Euclidean distance, row by row: a
// feature transform (C. R. Maurer et al., PAMI 25, 2003; the lower envelope of P. Felzenszwalb and
// D. Huttenlocher, 2012). Scratch that one thread reuses from image to image.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/metrics/maps.h"

namespace flowtrain::model::metrics {

class NearestForeground {
 public:
  // For a mask that has foreground; it is read here only.
  void Build(const ByteMap& mask);

  // Of row `y`: the squared distance to, and the column of, each pixel's nearest foreground pixel.
  // Among equally near ones that of the smallest column, then of the smallest row: the one that the
  // reference takes. Both spans hold width values.
  void Row(size_t y, std::span<int32_t> squared_distances, std::span<int32_t> columns);

  // The row of the foreground pixel of `column`, one that Row(y) gave, nearest to row `y`.
  size_t RowOf(size_t y, size_t column) const { return nearest_rows_[y * width_ + column]; }

 private:
  // A column whose foreground is the nearest from `start` until the next site's start.
  struct Site {
    int32_t start;
    int32_t column;
    int32_t squared_height;  // of its foreground above or below the row
  };

  static int32_t SquaredDistance(const Site& site, int32_t x) {
    return (x - site.column) * (x - site.column) + site.squared_height;
  }
  static bool Beats(const Site& site, const Site& other, int32_t x);
  int32_t FirstColumnWon(const Site& before, const Site& site) const;
  void FindSites(int32_t y);

  int32_t width_ = 0;
  std::vector<int32_t> occupied_;      // the columns that have foreground
  std::vector<int32_t> nearest_rows_;  // [height, width]: within the column; of occupied columns
  std::vector<Site> sites_;            // of one row; the first site_count_
  size_t site_count_ = 0;
  std::vector<double> half_inverses_;  // 1 / (2 i): a sixth faster than the division
};

}  // namespace flowtrain::model::metrics
