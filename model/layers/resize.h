// Bilinear resizing, align_corners false, in the type it is given: autocast would widen it to float for
// a kernel that computes in float anyway (on an H200 7 ms of a CamoXpert step of 100).
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

// x [B, C, H, W] -> [B, C, height, width]; x itself where it has that size already. On a GPU bfloat16 and
// half are resized by ResizeByProducts: ATen's kernels for channels-last (torch 2.11) take 8.6 ms of such
// a step, forward and backward.
torch::Tensor ResizeTo(const torch::Tensor& x, int64_t height, int64_t width);

// The same by two products of matrices, one an axis, of x's type: what is between them is rounded to it.
// The result is channels-last.
torch::Tensor ResizeByProducts(const torch::Tensor& x, int64_t height, int64_t width);

}  // namespace flowtrain::model
