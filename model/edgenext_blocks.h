// EdgeNeXt's two blocks, C channels in and out. Part of the backbone; called on its thread only.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "model/layers/channel_norm.h"
#include "model/layers/conv.h"
#include "model/layers/linear.h"

namespace flowtrain::model {

class PositionEncoding;

// Linear C -> 4C, GELU, linear 4C -> C. Keys fc1, fc2.
class Mlp : public torch::nn::Module {
 public:
  explicit Mlp(int64_t channels);
  torch::Tensor Forward(const torch::Tensor& x);  // [..., C]

 private:
  Linear fc1_{nullptr};
  Linear fc2_{nullptr};
};

class EdgeNextBlock : public torch::nn::Module {
 public:
  virtual torch::Tensor Forward(const torch::Tensor& x) = 0;  // [B, C, H, W]
};

// x + gamma * MLP(norm(depthwise k x k(x))).
class ConvBlock : public EdgeNextBlock {
 public:
  ConvBlock(int64_t channels, int64_t kernel, double drop_path);
  torch::Tensor Forward(const torch::Tensor& x) override;

 private:
  const double drop_path_;
  torch::Tensor gamma_;
  Conv conv_{nullptr};
  std::shared_ptr<ChannelNorm> norm_;
  std::shared_ptr<Mlp> mlp_;
};

// Attention between channels instead of pixels (El-Nouby et al. 2021, "XCiT", eq. 3-4).
class CrossCovarianceAttention : public torch::nn::Module {
 public:
  CrossCovarianceAttention(int64_t channels, int64_t heads);
  torch::Tensor Forward(const torch::Tensor& x);  // [B, N, C]

 private:
  torch::Tensor temperature_;  // [heads, 1, 1]
  Linear qkv_{nullptr};
  Linear proj_{nullptr};
};

// Split depth-wise transpose attention (EdgeNeXt, section 3.2): depthwise 3x3 convolutions over
// chunks of the channels, each chunk added to the one before, then cross-covariance attention, MLP.
class SdtaBlock : public EdgeNextBlock {
 public:
  SdtaBlock(int64_t channels, int64_t heads, int64_t scales, bool with_position, double drop_path);
  torch::Tensor Forward(const torch::Tensor& x) override;

 private:
  torch::Tensor MixChunks(const torch::Tensor& x);

  const double drop_path_;
  torch::Tensor gamma_xca_;
  torch::Tensor gamma_;
  std::vector<Conv> convs_;
  std::shared_ptr<PositionEncoding> position_;  // null: none
  std::shared_ptr<ChannelNorm> norm_xca_;
  std::shared_ptr<CrossCovarianceAttention> xca_;
  std::shared_ptr<ChannelNorm> norm_;
  std::shared_ptr<Mlp> mlp_;
};

}  // namespace flowtrain::model
