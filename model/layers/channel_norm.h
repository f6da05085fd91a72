// Layer norm over the channels of each pixel (ConvNeXt's LayerNorm2d), eps 1e-6, keys weight and
// bias.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

class ChannelNorm : public torch::nn::Module {
 public:
  explicit ChannelNorm(int64_t channels);

  torch::Tensor Forward(const torch::Tensor& x);      // [B, C, H, W]
  torch::Tensor ForwardLast(const torch::Tensor& x);  // [..., C]
  torch::Tensor ForwardGelu(const torch::Tensor& x);  // [B, C, H, W], GELU behind the norm

  torch::Tensor weight() const;  // as Low gives them
  torch::Tensor bias() const;

 private:
  torch::Tensor weight_;  // [C], starts at 1
  torch::Tensor bias_;    // [C], starts at 0
};

}  // namespace flowtrain::model
