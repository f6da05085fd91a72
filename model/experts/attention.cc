// Attention expert: relations between distant pixels.
//   x + A(x), A the linear or standard attention of model/layers/attention.h
#include "model/experts/expert.h"

namespace flowtrain::model {
namespace {

class AttentionExpert : public Expert {
 public:
  AttentionExpert(int64_t channels, AttentionKind kind) {
    attention_ = register_module("attention", std::make_shared<Attention>(channels, kind));
  }

  torch::Tensor Forward(const torch::Tensor& x) override { return x + attention_->Forward(x); }

 private:
  std::shared_ptr<Attention> attention_;
};

std::shared_ptr<Expert> MakeAttention(int64_t channels, AttentionKind kind) {
  return std::make_shared<AttentionExpert>(channels, kind);
}

}  // namespace

constinit const ExpertKind kAttentionExpert = {
    "attention",
    "x + linear or standard attention over all pixels",
    "the public CamoXpert project, normalised; Katharopoulos et al. 2020, Vaswani et al. 2017",
    &MakeAttention};

}  // namespace flowtrain::model
