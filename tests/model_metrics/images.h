// Images that the tests make: the golden ones of the specification, and random pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "model/metrics/dataset_scores.h"
#include "model/metrics/maps.h"

namespace flowtrain::model::metrics {

struct Image {
  size_t height = 0;
  size_t width = 0;
  std::vector<uint8_t> pixels;

  ByteMap map() const { return {pixels, height, width}; }
  uint8_t& at(size_t y, size_t x) { return pixels[y * width + x]; }
  uint8_t at(size_t y, size_t x) const { return pixels[y * width + x]; }
};

Image MakeImage(size_t height, size_t width, const std::function<int(size_t y, size_t x)>& value);

struct Pair {
  Image prediction;
  Image mask;
  std::string text() const;  // for a failing test
};

// Of random size up to 40 x 40: noise, objects, single pixels, empty and full masks; predictions
// near the mask, noise, a few levels, constants.
Pair RandomPair(std::mt19937& random);

// All figures of one pair, as a data set of one image.
DatasetResult Score(const Image& prediction, const Image& mask);

}  // namespace flowtrain::model::metrics
