// From a network's probabilities to what is scored, as published results were: bilinear to the
// mask's own size, per-image min-max, 8 bits.
#pragma once

#include <cstdint>
#include <vector>

#include "model/metrics/maps.h"

namespace flowtrain::model::metrics {

// `probabilities`: after the sigmoid, of any size. Into `bytes`: height * width values, row by row,
// round(255 (p - min) / (max - min)), or round(255 p) where the map is constant; halves round to
// even, as when such a map is saved as PNG. Throws std::invalid_argument for a map without pixels
// and, with the position, for a value that is NaN or outside 0..1.
void ToBytes(const FloatMap& probabilities, size_t height, size_t width,
             std::vector<uint8_t>& bytes);

// Bilinear, pixel centres at half (PyTorch's interpolate with align_corners=False,
// antialias=False): [height, width] float32. The same values where the size doesn't change.
std::vector<float> ResizeBilinear(const FloatMap& map, size_t height, size_t width);

}  // namespace flowtrain::model::metrics
