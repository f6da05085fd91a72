#include "model/layers/attention.h"

#include "model/layers/layout.h"
#include "model/layers/precision.h"

namespace flowtrain::model {
namespace {

constexpr double kDropout = 0.1;

// elu(x) + 1 as relu(x) + exp(min(x, 0)): keeps its digits for x << 0, and has no branch whose
// unused side could overflow and turn the gradient into NaN.
torch::Tensor Phi(const torch::Tensor& x) { return at::relu(x) + at::exp(at::clamp_max(x, 0)); }

}  // namespace

int64_t AttentionHeads(int64_t channels) {
  int64_t heads = 8;
  while (channels % heads != 0) --heads;
  return heads;
}

torch::Tensor LinearAttention(const torch::Tensor& q, const torch::Tensor& k,
                              const torch::Tensor& v) {
  AutocastOff autocast_off;
  const auto phi_q = Phi(AtLeastFloat(q));
  const auto phi_k = Phi(AtLeastFloat(k));
  const auto context = at::matmul(phi_k.transpose(-2, -1), AtLeastFloat(v));
  const auto normaliser = at::matmul(phi_q, phi_k.sum(/*dim=*/-2).unsqueeze(-1));
  return at::matmul(phi_q, context) / (normaliser + 1e-6);
}

Attention::Attention(int64_t channels, AttentionKind kind)
    : heads_(AttentionHeads(channels)), kind_(kind) {
  qkv_ = register_module("qkv", std::make_shared<Pointwise>(channels, 3 * channels, false));
  proj_ = register_module("proj", std::make_shared<Pointwise>(channels, channels));
}

torch::Tensor Attention::Forward(const torch::Tensor& x) {
  const auto batch = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
  const auto qkv = qkv_->ForwardLast(ChannelsToEnd(x))
                       .reshape({batch, height * width, 3, heads_, channels / heads_})
                       .permute({2, 0, 3, 1, 4})
                       .unbind(0);  // each [B, heads, N, d_h]
  const auto mixed = kind_ == AttentionKind::kLinear
                         ? LinearAttention(qkv[0], qkv[1], qkv[2])
                         : at::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]);
  const auto out =
      proj_->ForwardLast(mixed.transpose(1, 2).reshape({batch, height, width, channels}));
  return ChannelsToFront(at::dropout(out, kDropout, is_training()));
}

}  // namespace flowtrain::model
