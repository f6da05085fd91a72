#include "model/stage_encoder.h"

#include "model/layers/conv.h"
#include "model/layers/layout.h"
#include "model/layers/numbered.h"
#include "model/layers/precision.h"

namespace flowtrain::model {

StageEncoder::StageEncoder(int64_t channels, std::optional<AttentionKind> attention) {
  if (attention) gamma_ = register_parameter("gamma", torch::full({channels}, 1e-6));
  const auto channel = register_module("channel_attention", std::make_shared<Numbered>());
  squeeze_ = channel->Add(1, std::make_shared<Pointwise>(channels, channels / 8));
  excite_ = channel->Add(3, std::make_shared<Pointwise>(channels / 8, channels));
  const auto spatial = register_module("spatial_attention", std::make_shared<Numbered>());
  spatial_ = spatial->Add(0, SameConv(channels, 1, 7));
  if (attention) {
    attention_ = register_module("attention", std::make_shared<Attention>(channels, *attention));
  }
}

torch::Tensor StageEncoder::Forward(const torch::Tensor& features) {
  // The backbone's sums are wider than what is computed from them.
  const auto x = features.to(AutocastType(features));
  const auto pooled = x.mean({2, 3}, /*keepdim=*/true);
  const auto channel_gated = x * at::sigmoid(excite_->Forward(at::relu(squeeze_->Forward(pooled))));
  const auto gated = channel_gated * at::sigmoid(spatial_->forward(channel_gated));
  if (!attention_) return gated;
  const auto attended = ChannelsToEnd(attention_->Forward(gated));
  return ChannelsToFront(at::addcmul(ChannelsToEnd(gated), gamma_, attended).to(x.scalar_type()));
}

}  // namespace flowtrain::model
