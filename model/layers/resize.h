// Bilinear resizing, align_corners false, in the type it is given: autocast would widen it to float for
// a kernel that computes in float anyway (on an H200 7 ms of a CamoXpert step of 100).
#pragma once

#include <torch/torch.h>

#include "model/layers/precision.h"

namespace flowtrain::model {

// x itself where it has that size already.
inline torch::Tensor ResizeTo(const torch::Tensor& x, int64_t height, int64_t width) {
  if (x.size(2) == height && x.size(3) == width) return x;
  const AutocastOff autocast_off;
  return at::upsample_bilinear2d(x, {height, width}, /*align_corners=*/false);
}

}  // namespace flowtrain::model
