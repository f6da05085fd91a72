#include "model/layers/pointwise.h"

#include "model/layers/init.h"
#include "model/layers/layout.h"
#include "model/layers/linear.h"
#include "model/layers/low_precision.h"

namespace flowtrain::model {

Pointwise::Pointwise(int64_t in, int64_t out, bool with_bias) {
  weight_ = register_parameter("weight", torch::empty({out, in, 1, 1}));
  if (with_bias) bias_ = register_parameter("bias", torch::empty({out}));
  InitDefault(weight_, bias_);
}

torch::Tensor Pointwise::Forward(const torch::Tensor& x) {
  return ChannelsToFront(ForwardLast(ChannelsToEnd(x)));
}

torch::Tensor Pointwise::ForwardLast(const torch::Tensor& x) {
  return LinearLast(x, weight(), bias());
}

torch::Tensor Pointwise::weight() const { return Low(weight_).flatten(1); }
torch::Tensor Pointwise::bias() const { return Low(bias_); }

}  // namespace flowtrain::model
