// A depthwise convolution that needs no plan. cuDNN plans one in bfloat16, channels last, for about
// a second (a dense one for 10 ms) each time it meets a new number of images, measured on an H200
// with cuDNN 9; a mixture of experts gives its experts another number of images every step.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

// y[n, c, i, j] = bias[c] + sum over dy, dx of
//                 weight[c, 0, dy, dx] x[n, c, i + dy - k/2, j + dx - k/2], zero outside of x.
// x, y: [N, C, H, W]; weight: [C, 1, k, k], k odd; bias: [C] or undefined. Stride 1. Under autocast
// as at::conv2d. y is channels last where the operator below works, and not differentiable twice.
//
// On a GPU, with float, half and bfloat16 and k = 3, 5, 7, 9, by flowtrain::depthwise_conv2d, whose
// kernels libflowtrain_train_cuda.so registers with LibTorch's dispatcher when it is opened.
// Without that library, and elsewhere, by at::conv2d.
torch::Tensor DepthwiseConv2d(const torch::Tensor& x, const torch::Tensor& weight,
                              const torch::Tensor& bias);

// By the operators in any case, also on a CPU, where they are at::conv2d and its gradients.
torch::Tensor DepthwiseByOperator(const torch::Tensor& x, const torch::Tensor& weight,
                                  const torch::Tensor& bias);

}  // namespace flowtrain::model
