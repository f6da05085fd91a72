// Linear interpolation of one axis as a matrix.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

// [length, n], n values to `length`, align_corners false; in float or double. Made by operators of the
// options' device alone, so that it may be made while a CUDA graph is recorded.
inline torch::Tensor UpMatrix(int64_t length, int64_t n, torch::TensorOptions options) {
  return at::upsample_linear1d(at::eye(n, options).unsqueeze(0), {length}, /*align_corners=*/false)
      .squeeze(0)
      .t();
}

// matrix [m, n] times each of batches [B, n, c]. at::matmul would fold the batch into the columns, and
// return the product in another layout.
inline torch::Tensor TimesEach(const torch::Tensor& matrix, const torch::Tensor& batches) {
  return at::bmm(matrix.expand({batches.size(0), -1, -1}), batches);
}

}  // namespace flowtrain::model
