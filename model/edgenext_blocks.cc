#include "model/edgenext_blocks.h"

#include <algorithm>

#include "model/edgenext_position.h"
#include "model/layers/conv.h"
#include "model/layers/drop_path.h"
#include "model/layers/layout.h"
#include "model/layers/numbered.h"

namespace flowtrain::model {
namespace {

constexpr double kLayerScale = 1e-6;
// A backbone's batches are all of one size, so that one of cuDNN's plans does. Forward and backward in
// bfloat16, 32 images of edgenext_base at 352 px, ms on an H200 (torch 2.11, cuDNN 9), own / cuDNN:
//   k = 3, 80 channels, 88 px: 0.27 / 0.35     k = 5, 160, 44 px: 0.38 / 0.34
//   k = 9, 584 channels, 11 px: 0.31 / 0.87    k = 7, 288, 22 px: 0.32 / 0.23
DepthwiseBy DepthwiseFor(int64_t kernel) {
  return kernel == 5 || kernel == 7 ? DepthwiseBy::kLibTorch : DepthwiseBy::kOwn;
}

}  // namespace

Mlp::Mlp(int64_t channels) {
  fc1_ = register_module("fc1", Linear(channels, 4 * channels));
  fc2_ = register_module("fc2", Linear(4 * channels, channels));
}

torch::Tensor Mlp::Forward(const torch::Tensor& x) {
  return fc2_->forward(at::gelu(fc1_->forward(x)));
}

ConvBlock::ConvBlock(int64_t channels, int64_t kernel, double drop_path) : drop_path_(drop_path) {
  gamma_ = register_parameter("gamma", torch::full({channels}, kLayerScale));
  conv_ = register_module("conv_dw", DepthwiseConv(channels, kernel, DepthwiseFor(kernel)));
  norm_ = register_module("norm", std::make_shared<ChannelNorm>(channels));
  mlp_ = register_module("mlp", std::make_shared<Mlp>(channels));
}

torch::Tensor ConvBlock::Forward(const torch::Tensor& x) {
  const auto branch = mlp_->Forward(norm_->ForwardLast(ChannelsToEnd(conv_->forward(x))));
  return ChannelsToFront(
      at::addcmul(ChannelsToEnd(x), gamma_, DropPath(branch, drop_path_, is_training())));
}

CrossCovarianceAttention::CrossCovarianceAttention(int64_t channels, int64_t heads) {
  temperature_ = register_parameter("temperature", torch::ones({heads, 1, 1}));
  qkv_ = register_module("qkv", Linear(channels, 3 * channels));
  proj_ = register_module("proj", Linear(channels, channels));
}

torch::Tensor CrossCovarianceAttention::Forward(const torch::Tensor& x) {
  const auto batch = x.size(0), tokens = x.size(1), channels = x.size(2);
  const auto heads = temperature_.size(0);
  const auto qkv = qkv_->forward(x)
                       .reshape({batch, tokens, 3, heads, channels / heads})
                       .permute({2, 0, 3, 4, 1})
                       .unbind(0);  // each [B, heads, d_h, N]
  const auto unit = [](const torch::Tensor& t) {
    return t / at::linalg_vector_norm(t, 2, {-1}, /*keepdim=*/true).clamp_min(1e-12);
  };
  const auto scores = at::matmul(unit(qkv[0]), unit(qkv[1]).transpose(-2, -1)) * temperature_;
  const auto mixed = at::matmul(at::softmax(scores, -1), qkv[2]);
  return proj_->forward(mixed.permute({0, 3, 1, 2}).reshape({batch, tokens, channels}));
}

SdtaBlock::SdtaBlock(int64_t channels, int64_t heads, int64_t scales, bool with_position,
                     double drop_path)
    : drop_path_(drop_path) {
  gamma_xca_ = register_parameter("gamma_xca", torch::full({channels}, kLayerScale));
  gamma_ = register_parameter("gamma", torch::full({channels}, kLayerScale));
  const auto width = (channels + scales - 1) / scales;
  const auto convs = register_module("convs", std::make_shared<Numbered>());
  for (int64_t i = 0; i < std::max<int64_t>(1, scales - 1); ++i) {
    convs_.push_back(convs->Add(i, DepthwiseConv(width, 3, DepthwiseFor(3))));
  }
  if (with_position) {
    position_ = register_module("pos_embd", std::make_shared<PositionEncoding>(channels));
  }
  norm_xca_ = register_module("norm_xca", std::make_shared<ChannelNorm>(channels));
  xca_ = register_module("xca", std::make_shared<CrossCovarianceAttention>(channels, heads));
  norm_ = register_module("norm", std::make_shared<ChannelNorm>(channels));
  mlp_ = register_module("mlp", std::make_shared<Mlp>(channels));
}

torch::Tensor SdtaBlock::MixChunks(const torch::Tensor& x) {
  const auto parts = x.chunk(static_cast<int64_t>(convs_.size()) + 1, /*dim=*/1);
  std::vector<torch::Tensor> mixed;
  for (size_t i = 0; i < convs_.size(); ++i) {
    mixed.push_back(convs_[i]->forward(i == 0 ? parts[0] : mixed.back() + parts[i]));
  }
  mixed.push_back(parts.back());
  return at::cat(mixed, 1);
}

torch::Tensor SdtaBlock::Forward(const torch::Tensor& x) {
  const auto mixed = ChannelsToEnd(MixChunks(x));  // [B, H, W, C]
  auto tokens = mixed.flatten(1, 2);
  if (position_) tokens = tokens + position_->Forward(mixed.size(1), mixed.size(2));
  const auto attended = xca_->Forward(norm_xca_->ForwardLast(tokens));
  tokens = at::addcmul(tokens, gamma_xca_, DropPath(attended, drop_path_, is_training()));
  const auto branch = mlp_->Forward(norm_->ForwardLast(tokens)).reshape(mixed.sizes());
  return ChannelsToFront(
      at::addcmul(ChannelsToEnd(x), gamma_, DropPath(branch, drop_path_, is_training())));
}

}  // namespace flowtrain::model
