// Hybrid expert: local structure, weighted by what the whole image holds.
//   x + conv1x1(local(x) * global(x))
//   local:  depthwise 5x5, LN, 1x1, GELU
//   global: mean over pixels, 1x1 d -> d/4, GELU, 1x1 d/4 -> d, sigmoid
#include "model/experts/expert.h"
#include "model/layers/channel_norm.h"
#include "model/layers/conv.h"
#include "model/layers/numbered.h"
#include "model/layers/pointwise.h"

namespace flowtrain::model {
namespace {

class HybridExpert : public Expert {
 public:
  explicit HybridExpert(int64_t channels) {
    const auto local = register_module("local_branch", std::make_shared<Numbered>());
    depthwise_ = local->Add(0, DepthwiseConv(channels, 5));
    norm_ = local->Add(1, std::make_shared<ChannelNorm>(channels));
    mix_ = local->Add(2, std::make_shared<Pointwise>(channels, channels));
    const auto global = register_module("global_branch", std::make_shared<Numbered>());
    squeeze_ = global->Add(1, std::make_shared<Pointwise>(channels, channels / 4));
    excite_ = global->Add(3, std::make_shared<Pointwise>(channels / 4, channels));
    fusion_ = register_module("fusion", std::make_shared<Pointwise>(channels, channels));
  }

  torch::Tensor Forward(const torch::Tensor& x) override {
    const auto local = at::gelu(mix_->Forward(norm_->Forward(depthwise_->forward(x))));
    const auto pooled = x.mean({2, 3}, /*keepdim=*/true);
    const auto weight = at::sigmoid(excite_->Forward(at::gelu(squeeze_->Forward(pooled))));
    return x + fusion_->Forward(local * weight);
  }

 private:
  Conv depthwise_{nullptr};
  std::shared_ptr<ChannelNorm> norm_;
  std::shared_ptr<Pointwise> mix_;
  std::shared_ptr<Pointwise> squeeze_;
  std::shared_ptr<Pointwise> excite_;
  std::shared_ptr<Pointwise> fusion_;
};

std::shared_ptr<Expert> MakeHybrid(int64_t channels, AttentionKind) {
  return std::make_shared<HybridExpert>(channels);
}

}  // namespace

constinit const ExpertKind kHybridExpert = {
    "hybrid",
    "x + 1 x 1 of a depthwise 5 x 5, weighted by the mean of the image",
    "the public CamoXpert project; weights: Hu et al. 2018 (squeeze-and-excitation)",
    &MakeHybrid};

}  // namespace flowtrain::model
