// Texture expert: the same features seen at four scales of texture.
//   x + fusion(concat_r [GELU(LN(conv3x3 dilated by r (conv1x1 (x))))], r = 1, 2, 3, 4)
// with d/4 channels a branch and fusion = 1x1, LN, GELU.
#include "model/experts/expert.h"
#include "model/layers/channel_norm.h"
#include "model/layers/conv.h"
#include "model/layers/numbered.h"
#include "model/layers/pointwise_norm_gelu.h"

namespace flowtrain::model {
namespace {

class Branch : public Numbered {
 public:
  Branch(int64_t in, int64_t out, int64_t dilation) {
    reduce_ = Add(0, std::make_shared<Pointwise>(in, out));
    conv_ = Add(1, SameConv(out, out, 3, dilation));
    norm_ = Add(2, std::make_shared<ChannelNorm>(out));
  }

  torch::Tensor Forward(const torch::Tensor& x) {
    return norm_->ForwardGelu(conv_->forward(reduce_->Forward(x)));
  }

 private:
  std::shared_ptr<Pointwise> reduce_;
  Conv conv_{nullptr};
  std::shared_ptr<ChannelNorm> norm_;
};

class TextureExpert : public Expert {
 public:
  explicit TextureExpert(int64_t channels) {
    for (int64_t dilation = 1; dilation <= 4; ++dilation) {
      branches_.push_back(
          register_module("branch" + std::to_string(dilation),
                          std::make_shared<Branch>(channels, channels / 4, dilation)));
    }
    fusion_ = register_module("fusion", std::make_shared<PointwiseNormGelu>(channels, channels));
  }

  torch::Tensor Forward(const torch::Tensor& x) override {
    std::vector<torch::Tensor> scales;
    for (const auto& branch : branches_) scales.push_back(branch->Forward(x));
    return x + fusion_->Forward(at::cat(scales, 1));
  }

 private:
  std::vector<std::shared_ptr<Branch>> branches_;
  std::shared_ptr<PointwiseNormGelu> fusion_;
};

std::shared_ptr<Expert> MakeTexture(int64_t channels, AttentionKind) {
  return std::make_shared<TextureExpert>(channels);
}

}  // namespace

constinit const ExpertKind kTextureExpert = {
    "texture",
    "x + fusion of 3 x 3 convolutions at dilations 1, 2, 3, 4",
    "the public CamoXpert project; dilated branches: Chen et al. 2017 (DeepLab v3)",
    &MakeTexture};

}  // namespace flowtrain::model
