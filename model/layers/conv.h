// Convolutions of the shapes the networks use, with PyTorch's default initial values.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "model/layers/depthwise.h"
#include "model/layers/low_precision.h"

namespace flowtrain::model {

// torch::nn::Conv2d with weights as Low gives them. Padding in numbers, not by name.
class ConvImpl : public torch::nn::Conv2dImpl {
 public:
  using torch::nn::Conv2dImpl::Conv2dImpl;
  virtual torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor kernel = Low(weight);
    auto padding = std::get<torch::ExpandingArray<2>>(options.padding());
    // Taps that only ever meet padding are left out where the map is smaller than that: there the weight
    // gradient that oneDNN computes in bf16 (torch 2.11, AVX-512) is what lay in memory before.
    for (int64_t side = 0; side < 2; ++side) {
      const int64_t reach = padding->at(side), size = x.size(2 + side);
      if (reach <= size || options.stride()->at(side) != 1 || options.dilation()->at(side) != 1) continue;
      if (kernel.size(2 + side) != 2 * reach + 1) continue;
      kernel = kernel.narrow(2 + side, reach - (size - 1), 2 * size - 1);
      padding->at(side) = size - 1;
    }
    return at::conv2d(x, kernel, Low(bias), options.stride(), padding, options.dilation(), options.groups());
  }
};
TORCH_MODULE(Conv);

// k x k (k odd), stride 1, output as large as the input, with bias.
inline Conv SameConv(int64_t in, int64_t out, int64_t k, int64_t dilation = 1) {
  return Conv(
      torch::nn::Conv2dOptions(in, out, k).padding(dilation * (k / 2)).dilation(dilation));
}

// Convolves by DepthwiseConv2d.
class DepthwiseConvImpl : public ConvImpl {
 public:
  using ConvImpl::ConvImpl;
  torch::Tensor forward(const torch::Tensor& x) override {
    return DepthwiseConv2d(x, Low(weight), Low(bias));
  }
};

// Who convolves on a GPU: LibTorch, which plans anew for each size of batch, or DepthwiseConv2d.
enum class DepthwiseBy { kLibTorch, kOwn };

// The same, one filter a channel.
inline Conv DepthwiseConv(int64_t channels, int64_t k, DepthwiseBy by = DepthwiseBy::kOwn) {
  const auto options =
      torch::nn::Conv2dOptions(channels, channels, k).padding(k / 2).groups(channels);
  if (by == DepthwiseBy::kLibTorch) return Conv(options);
  return Conv(std::shared_ptr<ConvImpl>(std::make_shared<DepthwiseConvImpl>(options)));
}

// k x k at stride k: a patch embedding, or a downsampling.
inline Conv PatchConv(int64_t in, int64_t out, int64_t k) {
  return Conv(torch::nn::Conv2dOptions(in, out, k).stride(k));
}

}  // namespace flowtrain::model
