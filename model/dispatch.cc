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

// rows [R, n] -> [batch, n]: the sum of each image's rows.
torch::Tensor SumOfImages(const torch::Tensor& rows, const torch::Tensor& places, int64_t batch) {
  const auto taken = rows.index_select(0, places);
  return taken.view({batch, -1, taken.size(1)}).sum(1);
}

// x [B, n] -> x[images] [R, n]. Its gradient sums an image's k rows.
class GatherFunction : public Function<GatherFunction> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& images,
                          const Variable& places) {
    context->save_for_backward({places});
    context->saved_data["batch"] = x.size(0);
    return x.index_select(0, images);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {SumOfImages(gradients[0], context->get_saved_variables()[0], context->saved_data["batch"].toInt()), {}, {}};
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

// Images by the expert that they chose, as image * k + choice.
std::vector<std::vector<int64_t>> ChoicesByExpert(const torch::Tensor& indices, int64_t experts) {
  const auto batch = indices.size(0), top_k = indices.size(1);
  const auto chosen = indices.accessor<int64_t, 2>();
  std::vector<std::vector<int64_t>> choices(experts);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t k = 0; k < top_k; ++k) choices.at(chosen[b][k]).push_back(b * top_k + k);
  }
  return choices;
}

// slots: rows that each expert has room for; 0: as many as it needs.
DispatchPlan Plan(const torch::Tensor& indices, int64_t experts, at::Device device, bool pad, int64_t slots) {
  const auto choices = ChoicesByExpert(indices, experts);
  DispatchPlan plan;
  int64_t needed = 0;
  for (const auto& own : choices) {
    const auto count = static_cast<int64_t>(own.size());
    plan.rows.push_back(count > 0 && pad ? PaddedRows(count) : count);
    needed += plan.rows.back();
  }
  const int64_t total = slots > 0 ? experts * slots : needed;
  // One copy to the device for both tables.
  plan.table = at::zeros({total + indices.numel()}, at::dtype(at::kLong).pinned_memory(device.is_cuda()));
  auto* const image = plan.table.mutable_data_ptr<int64_t>();
  auto* const place = image + total;
  int64_t begin = 0;
  for (int64_t e = 0; e < experts; ++e) {
    const auto& own = choices[e];
    for (int64_t i = 0; i < plan.rows[e]; ++i) {
      const bool padding = i >= static_cast<int64_t>(own.size());
      image[begin + i] = (padding ? own.back() : own[i]) / indices.size(1);
      if (!padding) place[own[i]] = begin + i;
    }
    begin += slots > 0 ? slots : plan.rows[e];
  }
  return plan;
}

}  // namespace

int64_t PaddedRows(int64_t n) {
  int64_t step = 1;
  while (n > 8 * step) step *= 2;
  return (n + step - 1) / step * step;
}

DispatchPlan PlanDispatch(const torch::Tensor& indices, int64_t experts, at::Device device, bool pad) {
  return Plan(indices, experts, device, pad, 0);
}

DispatchPlan PlanDispatchInSlots(const torch::Tensor& indices, int64_t experts, at::Device device) {
  return Plan(indices, experts, device, /*pad=*/true, PaddedRows(indices.size(0)));
}

Dispatch::Dispatch(const torch::Tensor& table, int64_t batch, int64_t top_k)
    : batch_(batch),
      images_(table.narrow(0, 0, table.size(0) - batch * top_k)),
      places_(table.narrow(0, table.size(0) - batch * top_k, batch * top_k)) {}

torch::Tensor Dispatch::Gather(const torch::Tensor& x) const {
  return Unflat(GatherFunction::apply(Flat(x), images_, places_), x);
}

torch::Tensor Dispatch::GatherRows(const torch::Tensor& x, int64_t begin, int64_t count) const {
  const torch::NoGradGuard no_grad;
  return Unflat(Flat(x).index_select(0, images_.narrow(0, begin, count)), x);
}

torch::Tensor Dispatch::GatherBackward(const torch::Tensor& row_gradients) const {
  const torch::NoGradGuard no_grad;
  return Unflat(SumOfImages(Flat(row_gradients), places_, batch_), row_gradients);
}

torch::Tensor Dispatch::Combine(const torch::Tensor& outputs, const torch::Tensor& weights) const {
  const AutocastOff autocast_off;
  const auto taken = TakeRows::apply(Flat(outputs), places_).view({batch_, weights.size(1), -1});
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
