// Contrast expert: differences between a pixel and its neighbours, learned.
//   x + fusion(LN(conv1x1(GELU(LN(depthwise 3x3(x)))))), fusion = 1x1, LN, GELU
#include "model/experts/expert.h"
#include "model/layers/channel_norm.h"
#include "model/layers/conv.h"
#include "model/layers/numbered.h"
#include "model/layers/pointwise_norm_gelu.h"

namespace flowtrain::model {
namespace {

class ContrastExpert : public Expert {
 public:
  explicit ContrastExpert(int64_t channels) {
    const auto local = register_module("local_contrast", std::make_shared<Numbered>());
    depthwise_ = local->Add(0, DepthwiseConv(channels, 3));
    norm_in_ = local->Add(1, std::make_shared<ChannelNorm>(channels));
    mix_ = local->Add(3, std::make_shared<Pointwise>(channels, channels));
    norm_out_ = local->Add(4, std::make_shared<ChannelNorm>(channels));
    fusion_ = register_module("fusion", std::make_shared<PointwiseNormGelu>(channels, channels));
  }

  torch::Tensor Forward(const torch::Tensor& x) override {
    const auto contrast = norm_in_->ForwardGelu(depthwise_->forward(x));
    return x + fusion_->Forward(norm_out_->Forward(mix_->Forward(contrast)));
  }

 private:
  Conv depthwise_{nullptr};
  std::shared_ptr<ChannelNorm> norm_in_;
  std::shared_ptr<Pointwise> mix_;
  std::shared_ptr<ChannelNorm> norm_out_;
  std::shared_ptr<PointwiseNormGelu> fusion_;
};

std::shared_ptr<Expert> MakeContrast(int64_t channels, AttentionKind) {
  return std::make_shared<ContrastExpert>(channels);
}

}  // namespace

constinit const ExpertKind kContrastExpert = {
    "contrast",
    "x + fusion of a depthwise 3 x 3 between norms",
    "the public CamoXpert project",
    &MakeContrast};

}  // namespace flowtrain::model
