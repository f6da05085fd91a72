#include "model/metrics/numpy_sum.h"

namespace flowtrain::model::metrics {

// Pairwise summation: halves, down to blocks of 128 that are added in eight interleaved sums.
double NumpySum(std::span<const uint8_t> prediction, const std::array<double, 256>& levels) {
  const size_t count = prediction.size();
  if (count > 128) {
    const size_t half = count / 2 / 8 * 8;
    return NumpySum(prediction.first(half), levels) + NumpySum(prediction.subspan(half), levels);
  }
  double sum = 0;
  size_t i = 0;
  if (count >= 8) {
    std::array<double, 8> s{};
    for (; i + 8 <= count; i += 8) {
      for (size_t k = 0; k < 8; ++k) s[k] += levels[prediction[i + k]];
    }
    sum = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
  }
  for (; i < count; ++i) sum += levels[prediction[i]];
  return sum;
}

}  // namespace flowtrain::model::metrics
