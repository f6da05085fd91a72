// 1x1 convolution, layer norm over channels, GELU: the experts' common ending and branch.
// Keys 0.{weight,bias} and 1.{weight,bias}.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "model/layers/channel_norm.h"
#include "model/layers/pointwise.h"

namespace flowtrain::model {

class PointwiseNormGelu : public torch::nn::Module {
 public:
  PointwiseNormGelu(int64_t in, int64_t out);

  torch::Tensor Forward(const torch::Tensor& x);      // [B, in, H, W] -> [B, out, H, W]
  torch::Tensor ForwardLast(const torch::Tensor& x);  // [..., in] -> [..., out]

 private:
  std::shared_ptr<Pointwise> conv_;
  std::shared_ptr<ChannelNorm> norm_;
};

}  // namespace flowtrain::model
