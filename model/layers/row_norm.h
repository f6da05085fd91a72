// Layer norm of rows, eps 1e-6, and a GELU behind it, without autograd's record: what nodes of several operators are
// made of. On a GPU by kernels of flowtrain's own, which libflowtrain_train_cuda.so registers with LibTorch's
// dispatcher when it is opened: LibTorch's give a row of 80 channels a block of its own (model/README.md has
// what that costs). Without that library, and elsewhere, by LibTorch's.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

struct NormedRows {
  torch::Tensor out;  // [R, n], of x's type
  // What the backward pass wants beside x, weight and bias. normed: undefined by flowtrain's kernels.
  torch::Tensor mean, scale, normed;
};

// x: [R, n]; weight, bias: [n], of one type. Statistics in float.
NormedRows NormRows(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias, bool gelu);

struct NormGradients {
  torch::Tensor x, weight, bias;
};

NormGradients NormRowsBackward(const torch::Tensor& gradient, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias, const NormedRows& normed, bool gelu);

}  // namespace flowtrain::model
