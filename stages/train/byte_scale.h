// How bytes of an image become numbers: (x / 255 - mean) / deviation as one multiplication and one
// addition a channel.
#pragma once

#include <string>

#include "stages/train/cuda_link.h"

namespace flowtrain::train {

inline ByteScale ScaleOf(const std::string& mean) {
  // ImageNet's, of RGB in [0, 1], as every network trained on it takes them.
  constexpr std::array<double, 3> kMean = {0.485, 0.456, 0.406}, kDeviation = {0.229, 0.224, 0.225};
  ByteScale scale{};
  for (size_t c = 0; c < 3; ++c) {
    const double deviation = mean == "imagenet" ? kDeviation[c] : 1.0,
                 shift = mean == "imagenet" ? kMean[c] : 0.0;
    scale.scale[c] = static_cast<float>(1 / (255 * deviation));
    scale.bias[c] = static_cast<float>(-shift / deviation);
  }
  return scale;
}

}  // namespace flowtrain::train
