#include "model/metrics/to_bytes.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace flowtrain::model::metrics {
namespace {

void CheckProbabilities(const FloatMap& map) {
  // Not "< 0 or > 1", which NaN passes.
  const auto bad = std::find_if(map.pixels.begin(), map.pixels.end(),
                                [](float p) { return !(p >= 0 && p <= 1); });
  if (bad == map.pixels.end()) return;
  const auto at = static_cast<size_t>(bad - map.pixels.begin());
  throw std::invalid_argument("prediction holds " + std::to_string(*bad) + " at row " +
                              std::to_string(at / map.width) + ", column " +
                              std::to_string(at % map.width) + ": a probability is from 0 to 1");
}

}  // namespace

void ToBytes(const FloatMap& probabilities, size_t height, size_t width,
             std::vector<uint8_t>& bytes) {
  CheckMap(probabilities, "prediction");
  CheckProbabilities(probabilities);
  std::vector<float> resized;
  std::span<const float> p = probabilities.pixels;
  if (height != probabilities.height || width != probabilities.width) {
    resized = ResizeBilinear(probabilities, height, width);
    p = resized;
  }
  bytes.resize(p.size());
  if (p.empty()) return;
  const auto [lowest, highest] = std::minmax_element(p.begin(), p.end());
  const double low = *lowest == *highest ? 0 : *lowest;
  const double range = *lowest == *highest ? 1 : double{*highest} - *lowest;
  for (size_t i = 0; i < p.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(std::lrint((p[i] - low) / range * 255));
  }
}

}  // namespace flowtrain::model::metrics
