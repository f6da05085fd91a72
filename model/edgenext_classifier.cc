#include "model/edgenext_classifier.h"

#include "model/layers/channel_norm.h"
#include "model/layers/init.h"

namespace flowtrain::model {
namespace {

// Gives its children's keys the prefix "head".
class Head : public torch::nn::Module {};

}  // namespace

EdgeNextClassifier::EdgeNextClassifier(const EdgeNextVariant& variant, int64_t classes,
                                       double drop_path)
    : trunk_(*this, EdgeNextKeys::kWhole, variant, drop_path) {
  const auto head = register_module("head", std::make_shared<Head>());
  norm_ = head->register_module("norm", std::make_shared<ChannelNorm>(variant.dims[3]));
  fc_ = head->register_module("fc", Linear(variant.dims[3], classes));
  InitTruncatedNormal(*this);
}

torch::Tensor EdgeNextClassifier::Forward(const torch::Tensor& images) {
  const auto pooled = trunk_.Forward(images).back().mean({2, 3});
  return fc_->forward(norm_->ForwardLast(pooled));
}

}  // namespace flowtrain::model
