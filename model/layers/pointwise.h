// A 1x1 convolution computed as a matrix product: free of convolution plans, which cost tens of
// milliseconds for each new batch size, and an expert's batch size changes every step.
// Keys and shapes are those of a Conv2d: weight [out, in, 1, 1], bias [out].
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

class Pointwise : public torch::nn::Module {
 public:
  Pointwise(int64_t in, int64_t out, bool with_bias = true);

  torch::Tensor Forward(const torch::Tensor& x);      // [B, in, H, W] -> [B, out, H, W]
  torch::Tensor ForwardLast(const torch::Tensor& x);  // [..., in] -> [..., out]

  torch::Tensor weight() const;  // [out, in] and [out], as Low gives them
  torch::Tensor bias() const;

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
};

}  // namespace flowtrain::model
