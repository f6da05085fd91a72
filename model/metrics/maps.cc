#include "model/metrics/maps.h"

#include <stdexcept>

namespace flowtrain::model::metrics {
namespace {

// Keeps squared distances within 31 bits.
constexpr size_t kMostSide = 32767;

void CheckPixels(size_t pixels, size_t height, size_t width, const char* what) {
  const std::string size = SizeText(height, width);
  if (height == 0 || width == 0) {
    throw std::invalid_argument(std::string(what) + " is " + size + ": it has no pixel");
  }
  if (height > kMostSide || width > kMostSide) {
    throw std::invalid_argument(std::string(what) + " is " + size + ": a side may have " +
                                std::to_string(kMostSide) + " pixels at most");
  }
  if (pixels != height * width) {
    throw std::invalid_argument(std::string(what) + " is " + size + " but holds " +
                                std::to_string(pixels) + " pixels");
  }
}

}  // namespace

std::string SizeText(size_t height, size_t width) {
  return std::to_string(height) + " x " + std::to_string(width);
}

void CheckMap(const ByteMap& map, const char* what) {
  CheckPixels(map.pixels.size(), map.height, map.width, what);
}

void CheckMap(const FloatMap& map, const char* what) {
  CheckPixels(map.pixels.size(), map.height, map.width, what);
}

void CheckPair(const ByteMap& prediction, const ByteMap& mask) {
  CheckMap(prediction, "prediction");
  CheckMap(mask, "mask");
  if (prediction.height != mask.height || prediction.width != mask.width) {
    throw std::invalid_argument("prediction is " + SizeText(prediction.height, prediction.width) +
                                ", mask is " + SizeText(mask.height, mask.width) +
                                ": a prediction is scored at its mask's own size");
  }
}

}  // namespace flowtrain::model::metrics
