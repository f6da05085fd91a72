#include "model/train/expert_slots.h"

namespace flowtrain::model {
namespace {

at::Tensor Leaf(const at::Tensor& tensor) { return tensor.detach().requires_grad_(); }

at::Tensor RowsLike(const at::Tensor& features, int64_t rows) {
  // at::zeros would not mind the memory format.
  return at::empty({rows, features.size(1), features.size(2), features.size(3)},
                   features.options().requires_grad(false), at::MemoryFormat::ChannelsLast)
      .zero_();
}

}  // namespace

ExpertSlots::ExpertSlots(const EncodedLayer& encoded, int64_t experts)
    : room_(PaddedRows(encoded.features.size(0))),
      experts_(experts),
      features_(encoded.features.detach()),
      weights_(Leaf(encoded.decision.weights)),
      table_(at::zeros({experts * room_ + weights_.numel()}, features_.options().dtype(at::kLong))),
      dispatch_(table_, weights_.size(0), weights_.size(1)),
      outputs_(RowsLike(features_, experts * room_).requires_grad_()),
      input_gradients_(RowsLike(features_, experts * room_)) {}

std::vector<int64_t> ExpertSlots::Place(const at::Tensor& chosen) {
  DispatchPlan plan = PlanDispatchInSlots(chosen, experts_, features_.device());
  table_.copy_(plan.table, /*non_blocking=*/true);
  return std::move(plan.rows);
}

at::Tensor ExpertSlots::Rows(const at::Tensor& all, size_t expert, int64_t rows) const {
  return all.detach().narrow(0, static_cast<int64_t>(expert) * room_, rows);
}

at::Tensor ExpertSlots::Inputs(size_t expert, int64_t rows) const {
  return dispatch_.GatherRows(features_, static_cast<int64_t>(expert) * room_, rows);
}

at::Tensor ExpertSlots::Outputs(size_t expert, int64_t rows) const { return Rows(outputs_, expert, rows); }

at::Tensor ExpertSlots::OutputGradients(size_t expert, int64_t rows) const {
  return Rows(outputs_.grad(), expert, rows);
}

at::Tensor ExpertSlots::InputGradients(size_t expert, int64_t rows) const {
  return Rows(input_gradients_, expert, rows);
}

at::Tensor ExpertSlots::Combine() const { return dispatch_.Combine(outputs_, weights_); }

at::Tensor ExpertSlots::FeatureGradient() const { return dispatch_.GatherBackward(input_gradients_); }

}  // namespace flowtrain::model
