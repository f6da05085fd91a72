#include "model/dispatch.h"

#include <torch/csrc/autograd/functions/utils.h>

#include "model/layers/layout.h"
#include "model/layers/precision.h"

namespace flowtrain::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// An image's pixels in a row, channels last.
torch::Tensor Flat(const torch::Tensor& x) { return ChannelsToEnd(x).flatten(1); }

torch::Tensor Unflat(const torch::Tensor& rows, const torch::Tensor& like) {
  return ChannelsToFront(rows.view({-1, like.size(2), like.size(3), like.size(1)}));
}

// x [B, n] -> x[images] [R, n]. Its gradient sums an image's k rows.
class GatherRows : public Function<GatherRows> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& images,
                          const Variable& places) {
    context->save_for_backward({places});
    context->saved_data["batch"] = x.size(0);
    return x.index_select(0, images);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto places = context->get_saved_variables()[0];
    const auto batch = context->saved_data["batch"].toInt();
    const auto taken = gradients[0].index_select(0, places);
    return {taken.view({batch, -1, taken.size(1)}).sum(1), {}, {}};
  }
};

// outputs [R, n] -> outputs[places], each place there once. Rows that are not there get no gradient.
class TakeRows : public Function<TakeRows> {
 public:
  static Variable forward(AutogradContext* context, const Variable& outputs,
                          const Variable& places) {
    context->save_for_backward({places});
    context->saved_data["rows"] = outputs.size(0);
    return outputs.index_select(0, places);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto places = context->get_saved_variables()[0];
    const auto rows = context->saved_data["rows"].toInt();
    const auto& gradient = gradients[0];
    const bool padded = rows != gradient.size(0);
    auto all = padded ? at::zeros({rows, gradient.size(1)}, gradient.options())
                      : at::empty({rows, gradient.size(1)}, gradient.options());
    return {all.index_copy_(0, places, gradient), {}};
  }
};

// weights [B, k], rows [B, k, n], of one type -> [B, n], the sum over k of weight times row. Products of
// matrices sum in float whatever their type; but cuBLAS (13.0) takes 2.3 ms of a step on an H200 for the
// one of depth 1 that is the rows' gradient.
class WeightedSum : public Function<WeightedSum> {
 public:
  static Variable forward(AutogradContext* context, const Variable& weights, const Variable& rows) {
    const RawOperators raw;
    context->save_for_backward({weights, rows});
    return at::bmm(weights.unsqueeze(1), rows).squeeze(1);
  }
  static variable_list backward(AutogradContext* context, const variable_list& given) {
    const RawOperators raw;
    const auto saved = context->get_saved_variables();
    return {at::bmm(saved[1], given[0].unsqueeze(2)).squeeze(2),
            saved[0].unsqueeze(2) * given[0].unsqueeze(1)};
  }
};

// Passes y's gradient on, and zeros to the parameters. A node of its own: Function's arguments can't be
// of a number that is known at run time only.
struct IdleNode : torch::autograd::Node {
  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    variable_list all = {gradients[0]};
    for (const auto& parameter : parameters) all.push_back(at::zeros_like(parameter));
    return all;
  }
  std::vector<torch::Tensor> parameters;
};

}  // namespace

int64_t PaddedRows(int64_t n) {
  int64_t step = 1;
  while (n > 8 * step) step *= 2;
  return (n + step - 1) / step * step;
}

DispatchPlan::DispatchPlan(const torch::Tensor& indices, int64_t experts, at::Device device,
                           bool pad) {
  const auto batch = indices.size(0), top_k = indices.size(1);
  const auto chosen = indices.accessor<int64_t, 2>();
  std::vector<std::vector<int64_t>> slots(experts);  // image * k + choice
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t k = 0; k < top_k; ++k) slots.at(chosen[b][k]).push_back(b * top_k + k);
  }
  int64_t total = 0;
  for (const auto& own : slots) {
    const auto count = static_cast<int64_t>(own.size());
    rows_.push_back(count > 0 && pad ? PaddedRows(count) : count);
    total += rows_.back();
  }
  // One copy to the device for both tables.
  auto tables = at::empty({total + batch * top_k},
                          at::dtype(at::kLong).pinned_memory(device.is_cuda()));
  auto* image = tables.mutable_data_ptr<int64_t>();
  auto* place = image + total;
  int64_t begin = 0;
  for (int64_t e = 0; e < experts; ++e) {
    for (int64_t i = 0; i < rows_[e]; ++i) {
      const bool padding = i >= static_cast<int64_t>(slots[e].size());
      image[begin + i] = padding ? slots[e].back() / top_k : slots[e][i] / top_k;
      if (!padding) place[slots[e][i]] = begin + i;
    }
    begin += rows_[e];
  }
  tables = tables.to(device, /*non_blocking=*/true);
  images_ = tables.narrow(0, 0, total);
  places_ = tables.narrow(0, total, batch * top_k);
}

torch::Tensor DispatchPlan::Gather(const torch::Tensor& x) const {
  return Unflat(GatherRows::apply(Flat(x), images_, places_), x);
}

torch::Tensor DispatchPlan::Combine(const torch::Tensor& outputs,
                                    const torch::Tensor& weights) const {
  const AutocastOff autocast_off;
  const auto batch = weights.size(0), top_k = weights.size(1);
  const auto taken = TakeRows::apply(Flat(outputs), places_).view({batch, top_k, -1});
  return Unflat(WeightedSum::apply(weights.to(outputs.scalar_type()), taken), outputs);
}

torch::Tensor WithIdle(const torch::Tensor& y, const std::vector<torch::Tensor>& parameters) {
  if (parameters.empty() || !at::GradMode::is_enabled()) return y;
  const std::shared_ptr<IdleNode> node(new IdleNode(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(y, parameters));
  for (const auto& parameter : parameters) node->parameters.push_back(parameter.detach());
  auto result = y.detach();
  torch::autograd::set_history(result, node);
  return result;
}

}  // namespace flowtrain::model
