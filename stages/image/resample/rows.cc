#include "stages/image/resample/rows.h"

#include <algorithm>
#include <cstring>

namespace flowtrain::image {
namespace {

constexpr int kHalf = 1 << (kWeightBits - 1);
constexpr int kGroup = 4;                // outputs
constexpr size_t kGroupWeights = 4 * 8;  // of a group and two taps

// Weights are 0 or more and sum up to 1: no result is outside of 0 .. 255.
void BlendPlain(const uint8_t* const* rows, const int16_t* weights, int count, size_t bytes,
                uint8_t* out) {
  for (size_t i = 0; i < bytes; ++i) {
    int sum = kHalf;
    for (int t = 0; t < count; ++t) sum += weights[t] * rows[t][i];
    out[i] = static_cast<uint8_t>(sum >> kWeightBits);
  }
}

void RgbPlain(const uint8_t* row, const Taps& taps, const int16_t*, uint8_t* out) {
  for (int i = 0; i < taps.outputs(); ++i, out += 3) {
    const int16_t* weights = taps.of(i);
    const uint8_t* pixel = row + 3 * taps.first[i];
    int sums[3] = {kHalf, kHalf, kHalf};
    for (int t = 0; t < taps.counts[i]; ++t, pixel += 3) {
      for (int c = 0; c < 3; ++c) sums[c] += weights[t] * pixel[c];
    }
    for (int c = 0; c < 3; ++c) out[c] = static_cast<uint8_t>(sums[c] >> kWeightBits);
  }
}

}  // namespace

size_t PairedBytes(const Taps& taps) {
  const auto groups = static_cast<size_t>((taps.outputs() + kGroup - 1) / kGroup);
  return groups * (taps.width / 2) * kGroupWeights * sizeof(int16_t);
}

void PairWeights(const Taps& taps, int16_t* memory) {
  for (int i = 0; i < taps.outputs(); i += kGroup) {
    for (int t = 0; t < taps.width; t += 2) {
      for (const int k : {0, 2, 1, 3}) {
        int32_t both;
        std::memcpy(&both, taps.of(std::min(i + k, taps.outputs() - 1)) + t, sizeof both);
        for (int n = 0; n < 4; ++n, memory += 2) std::memcpy(memory, &both, sizeof both);
      }
    }
  }
}

const RowLoops& PlainRowLoops() {
  static constexpr RowLoops kLoops{BlendPlain, RgbPlain};
  return kLoops;
}

}  // namespace flowtrain::image
