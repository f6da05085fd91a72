#include "model/router.h"

#include "model/layers/low_precision.h"
#include "model/layers/precision.h"

namespace flowtrain::model {

Routing RoutingOf(const RouterDecision& decision) {
  return {decision.indices, decision.weights.detach(), decision.usage};
}

Router::Router(int64_t channels, const RouterOptions& options) : options_(options) {
  linear_ = register_module("1", std::make_shared<Pointwise>(channels, options.experts));
}

RouterDecision Router::Forward(const torch::Tensor& x) {
  const AutocastOff autocast_off;
  const LowPrecisionWeights::Scope full_precision(nullptr);
  const auto pooled = x.mean({2, 3}, /*keepdim=*/false, AtLeastFloat(x.scalar_type()));
  const auto logits = linear_->ForwardLast(pooled);  // [B, E]
  const auto [chosen, indices] = logits.topk(options_.top_k, /*dim=*/1);

  RouterDecision decision;
  decision.weights = at::softmax(chosen, 1);
  decision.indices = indices;
  const auto expert = at::arange(options_.experts, indices.options());
  decision.usage = (indices.unsqueeze(-1) == expert).sum(at::IntArrayRef{0, 1}).to(at::kFloat);

  decision.auxiliary = at::zeros({}, logits.options());
  if (options_.balance_weight > 0) {
    const auto share = decision.usage.to(logits.scalar_type()) / indices.numel();
    const auto balance = options_.experts * (share * at::softmax(logits, 1).mean(0)).sum();
    decision.auxiliary = decision.auxiliary + options_.balance_weight * balance;
  }
  if (options_.z_weight > 0) {
    const auto z = at::logsumexp(logits, 1).square().mean();
    decision.auxiliary = decision.auxiliary + options_.z_weight * z;
  }
  return decision;
}

}  // namespace flowtrain::model
