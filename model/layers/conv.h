// Convolutions of the shapes the networks use, with PyTorch's default initial values.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

// k x k (k odd), stride 1, output as large as the input, with bias.
inline torch::nn::Conv2d SameConv(int64_t in, int64_t out, int64_t k, int64_t dilation = 1) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, k).padding(dilation * (k / 2)).dilation(dilation));
}

// The same, one filter a channel.
inline torch::nn::Conv2d DepthwiseConv(int64_t channels, int64_t k) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(channels, channels, k).padding(k / 2).groups(channels));
}

// k x k at stride k: a patch embedding, or a downsampling.
inline torch::nn::Conv2d PatchConv(int64_t in, int64_t out, int64_t k) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, k).stride(k));
}

}  // namespace flowtrain::model
