#include "model/layers/channel_norm.h"

#include "model/layers/layout.h"
#include "model/layers/linear.h"
#include "model/layers/low_precision.h"

namespace flowtrain::model {

ChannelNorm::ChannelNorm(int64_t channels) {
  weight_ = register_parameter("weight", torch::ones({channels}));
  bias_ = register_parameter("bias", torch::zeros({channels}));
}

torch::Tensor ChannelNorm::Forward(const torch::Tensor& x) {
  return ChannelsToFront(ForwardLast(ChannelsToEnd(x)));
}

torch::Tensor ChannelNorm::ForwardLast(const torch::Tensor& x) {
  // Autocast would widen x to float and back. Statistics are taken in float anyway, so half types stay as
  // they are, and only the two vectors are cast.
  return Norm(x, weight(), bias(), /*gelu=*/false);
}

torch::Tensor ChannelNorm::ForwardGelu(const torch::Tensor& x) {
  return ChannelsToFront(Norm(ChannelsToEnd(x), weight(), bias(), /*gelu=*/true));
}

torch::Tensor ChannelNorm::weight() const { return Low(weight_); }
torch::Tensor ChannelNorm::bias() const { return Low(bias_); }

}  // namespace flowtrain::model
