#include "model/moe_layer.h"

#include "model/layers/numbered.h"
#include "model/layers/precision.h"

namespace flowtrain::model {
namespace {

std::vector<int64_t> ToHost(const torch::Tensor& usage) {
  const auto host = usage.to(torch::kCPU, torch::kLong);
  return {host.data_ptr<int64_t>(), host.data_ptr<int64_t>() + host.numel()};
}

}  // namespace

MoeLayer::MoeLayer(int64_t channels, const std::vector<std::string>& experts,
                   AttentionKind attention, const RouterOptions& options) {
  router_ = register_module("gate", std::make_shared<Router>(channels, options));
  const auto list = register_module("experts", std::make_shared<Numbered>());
  for (size_t i = 0; i < experts.size(); ++i) {
    experts_.push_back(list->Add(i, MakeExpert(experts[i], channels, attention)));
  }
}

MoeOutput MoeLayer::Forward(const torch::Tensor& x) {
  const auto decision = router_->Forward(x);
  MoeOutput output;
  output.features = Dispatch(x, decision);
  output.auxiliary = decision.auxiliary;
  output.routing = {decision.indices, decision.weights.detach(), decision.usage};
  return output;
}

torch::Tensor MoeLayer::Dispatch(const torch::Tensor& x, const RouterDecision& decision) {
  // Slots (image, choice) in the order of their experts; a stable sort keeps the images of an
  // expert in the batch's order, so the sums do not depend on the sort.
  const auto slots = at::argsort(decision.indices.flatten(), /*stable=*/true, /*dim=*/0,
                                 /*descending=*/false);
  const auto images = at::floor_divide(slots, decision.indices.size(1));
  const auto weights = decision.weights.flatten().index_select(0, slots).view({-1, 1, 1, 1});

  const auto inputs = x.index_select(0, images).split_with_sizes(ToHost(decision.usage), 0);
  std::vector<torch::Tensor> outputs;
  for (size_t i = 0; i < experts_.size(); ++i) {
    if (inputs[i].size(0) > 0) outputs.push_back(experts_[i]->Forward(inputs[i]));
  }
  // The weights are at least float, and so is the sum: half outputs never meet a float accumulator.
  const auto weighted = at::cat(outputs, 0) * weights;
  return at::zeros_like(x, weighted.scalar_type()).index_add(0, images, weighted);
}

}  // namespace flowtrain::model
