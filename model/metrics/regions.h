// Histograms of a prediction over the parts that the measures compare: foreground and background of
// the four quadrants around the foreground's centroid. All measures but the weighted F follow from
// them, exactly, because a prediction has at most 256 values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/metrics/maps.h"

namespace flowtrain::model::metrics {

using Histogram = std::array<int64_t, 256>;  // pixels by gray level

struct Quadrant {
  size_t height = 0;  // either is 0 where the centroid lies on the last row or column
  size_t width = 0;
  Histogram foreground{};
  Histogram background{};
};

struct Regions {
  std::array<Quadrant, 4> quadrants;  // left top, right top, left bottom, right bottom
  Histogram foreground{};             // over the whole image
  Histogram background{};
  int64_t foreground_pixels = 0;
  int64_t pixels = 0;
};

// The quadrants meet behind row and column round-half-even(mean foreground index); without
// foreground the first quadrant is the whole image. The maps are of one size.
Regions CountRegions(const ByteMap& prediction, const ByteMap& mask);

}  // namespace flowtrain::model::metrics
