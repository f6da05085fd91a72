// Attention expert: relations between distant pixels.
//   x + A(x), A the linear or standard attention of model/layers/attention.h
// Source: the public CamoXpert project, with the normaliser its linear attention lacks.
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

}  // namespace

std::shared_ptr<Expert> MakeAttentionExpert(int64_t channels, AttentionKind kind) {
  return std::make_shared<AttentionExpert>(channels, kind);
}

}  // namespace flowtrain::model
