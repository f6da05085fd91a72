// What a metric looks at: views of one-channel images. The caller owns the pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace flowtrain::model::metrics {

template <class Pixel>
struct Map {
  std::span<const Pixel> pixels;  // rows one after the other, height * width of them
  size_t height = 0;
  size_t width = 0;
};

using ByteMap = Map<uint8_t>;  // a prediction 0..255, or a mask
using FloatMap = Map<float>;   // probabilities 0..1

// Of a mask's pixel.
constexpr bool IsForeground(uint8_t value) { return value > 128; }

// "height x width", as errors name a size.
std::string SizeText(size_t height, size_t width);

// Throws std::invalid_argument where the map has no pixel, a side above 32,767, or another number
// of pixels than height * width; `what` ("prediction") begins the message.
void CheckMap(const ByteMap& map, const char* what);
void CheckMap(const FloatMap& map, const char* what);

// CheckMap for both; throws std::invalid_argument naming both sizes where they differ.
void CheckPair(const ByteMap& prediction, const ByteMap& mask);

}  // namespace flowtrain::model::metrics
