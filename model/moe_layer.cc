#include "model/moe_layer.h"

#include "model/describe/part_scope.h"
#include "model/dispatch.h"
#include "model/layers/numbered.h"
#include "model/layers/recompute.h"

namespace flowtrain::model {

MoeLayer::MoeLayer(int64_t channels, const std::vector<std::string>& experts,
                   AttentionKind attention, const RouterOptions& options, bool recompute)
    : recompute_(recompute) {
  router_ = register_module("gate", std::make_shared<Router>(channels, options));
  const auto list = register_module("experts", std::make_shared<Numbered>());
  for (size_t i = 0; i < experts.size(); ++i) {
    experts_.push_back(list->Add(i, MakeExpert(experts[i], channels, attention)));
  }
}

RouterDecision MoeLayer::Decide(const torch::Tensor& x) {
  const PartScope part("gate");
  return router_->Forward(x);
}

torch::Tensor MoeLayer::Mix(const torch::Tensor& x, const torch::Tensor& weights,
                            const torch::Tensor& indices) {
  // Only a GPU's libraries plan by the number of rows.
  const DispatchPlan plan = PlanDispatch(indices, static_cast<int64_t>(experts_.size()), x.device(),
                                         /*pad=*/x.is_cuda());
  const Dispatch dispatch(plan.table.to(x.device(), /*non_blocking=*/true), indices.size(0), indices.size(1));
  const auto inputs = dispatch.Gather(x).split_with_sizes(plan.rows, 0);
  std::vector<torch::Tensor> outputs, idle;
  for (size_t i = 0; i < experts_.size(); ++i) {
    if (plan.rows[i] > 0) {
      const PartScope part("experts", i);
      outputs.push_back(ForwardOf(experts_[i], inputs[i], recompute_));
    } else {
      for (const auto& parameter : experts_[i]->parameters()) idle.push_back(parameter);
    }
  }
  return WithIdle(dispatch.Combine(at::cat(outputs, 0), weights), idle);
}

}  // namespace flowtrain::model
