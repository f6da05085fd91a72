#include "model/layers/pointwise_norm_gelu.h"

#include "model/layers/layout.h"
#include "model/layers/linear.h"

namespace flowtrain::model {

PointwiseNormGelu::PointwiseNormGelu(int64_t in, int64_t out) {
  conv_ = register_module("0", std::make_shared<Pointwise>(in, out));
  norm_ = register_module("1", std::make_shared<ChannelNorm>(out));
}

torch::Tensor PointwiseNormGelu::Forward(const torch::Tensor& x) {
  return ChannelsToFront(ForwardLast(ChannelsToEnd(x)));
}

torch::Tensor PointwiseNormGelu::ForwardLast(const torch::Tensor& x) {
  return LinearNormGelu(x, conv_->weight(), conv_->bias(), norm_->weight(), norm_->bias());
}

}  // namespace flowtrain::model
