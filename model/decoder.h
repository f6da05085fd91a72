// One block of the U-shaped decoder (Ronneberger et al. 2015): bilinear x2, resized to the skip's
// size, skip concatenated, then twice 3x3 convolution, batch norm, ReLU. Keys conv.{0,1,3,4}.
#pragma once

#include <torch/torch.h>

#include "model/layers/conv.h"

namespace flowtrain::model {

class DecoderBlock : public torch::nn::Module {
 public:
  DecoderBlock(int64_t in, int64_t skip, int64_t out);  // skip: its channels, 0 without one

  // x: [B, in, h, w], skip: [B, skip, H, W] or undefined -> [B, out, H, W], else [B, out, 2h, 2w].
  torch::Tensor Forward(const torch::Tensor& x, const torch::Tensor& skip);

 private:
  Conv conv1_{nullptr};
  torch::nn::BatchNorm2d norm1_{nullptr};
  Conv conv2_{nullptr};
  torch::nn::BatchNorm2d norm2_{nullptr};
};

// Logits from decoder features, at their size: 3x3 64 -> 32, batch norm, ReLU, 1x1 32 -> 1.
// Keys 0, 1, 3.
class FinalConv : public torch::nn::Module {
 public:
  FinalConv();
  torch::Tensor Forward(const torch::Tensor& x);

 private:
  Conv conv_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  Conv head_{nullptr};
};

}  // namespace flowtrain::model
