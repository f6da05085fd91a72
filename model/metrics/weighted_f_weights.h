// The two weightings of the weighted F-measure: over neighbours and by distance from the
// foreground.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flowtrain::model::metrics {

inline constexpr size_t kReach = 3;  // of the 7 x 7 Gaussian
inline constexpr size_t kTaps = 2 * kReach + 1;

// The 7 x 7 Gaussian, sigma 5, is the product of this with itself.
inline std::array<double, kReach + 1> GaussianTaps() {
  std::array<double, kReach + 1> taps{};
  double sum = 0;
  for (size_t d = 0; d <= kReach; ++d) {
    taps[d] = std::exp(-static_cast<double>(d * d) / (2 * 5.0 * 5.0));
    sum += d == 0 ? taps[d] : 2 * taps[d];
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

// How much an error on the background counts by its distance D to the foreground,
// B = 2 - exp(ln(0.5) / 5 * D), as a table of D^2. From D = 265 on B is 2 in float64.
class DistanceWeights {
 public:
  DistanceWeights() : weights_(kLast + 1) {
    for (int32_t i = 0; i <= kLast; ++i) {
      weights_[i] = 2 - std::exp(std::log(0.5) / 5 * std::sqrt(static_cast<double>(i)));
    }
  }
  double operator[](int32_t squared_distance) const {
    return weights_[std::min(squared_distance, kLast)];
  }

 private:
  static constexpr int32_t kLast = 265 * 265;
  std::vector<double> weights_;
};

}  // namespace flowtrain::model::metrics
