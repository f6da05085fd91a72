// Bilinear resizing, align_corners false.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

// x itself where it has that size already.
inline torch::Tensor ResizeTo(const torch::Tensor& x, int64_t height, int64_t width) {
  if (x.size(2) == height && x.size(3) == width) return x;
  return at::upsample_bilinear2d(x, {height, width}, /*align_corners=*/false);
}

}  // namespace flowtrain::model
