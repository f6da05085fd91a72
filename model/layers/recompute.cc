#include "model/layers/recompute.h"

#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <utility>
#include <vector>

#include "model/layers/autocast_scope.h"
#include "model/layers/low_precision.h"
#include "model/layers/random_state.h"

namespace flowtrain::model {
namespace {

class RecomputeBackward final : public torch::autograd::Node {
 public:
  RecomputeBackward(PartOfNetwork part, const torch::Tensor& x)
      : part_(std::move(part)),
        input_(x, /*is_output=*/false),
        wants_gradient_(x.requires_grad()),
        device_(x.device()),
        autocast_(at::autocast::is_autocast_enabled(device_.type())),
        weights_(LowPrecisionWeights::current()),
        random_(device_) {}

  std::string name() const override { return "RecomputeBackward"; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    if (!gradients[0].defined()) return {torch::Tensor()};
    const torch::Tensor input = input_.unpack().detach().requires_grad_(wants_gradient_);
    torch::Tensor output;
    {
      const RandomScope random(random_, device_);
      const Bf16Scope autocast(device_.type(), autocast_);
      const LowPrecisionWeights::Scope weights(weights_);
      const torch::AutoGradMode with_gradients(true);
      output = part_(input);
    }
    if (!output.requires_grad()) return {torch::Tensor()};  // all that it was computed from is frozen
    torch::autograd::backward({output}, {gradients[0]});
    return {input.grad()};
  }

  void release_variables() override { input_.reset_data(); }

 private:
  const PartOfNetwork part_;
  torch::autograd::SavedVariable input_;
  const bool wants_gradient_;
  const at::Device device_;
  const bool autocast_;
  const LowPrecisionWeights* const weights_;
  const RandomState random_;
};

}  // namespace

torch::Tensor Recomputed(PartOfNetwork part, const torch::Tensor& x) {
  if (!torch::GradMode::is_enabled()) return part(x);
  const auto node = std::make_shared<RecomputeBackward>(part, x);
  torch::Tensor y;
  {
    const torch::NoGradGuard no_grad;
    y = part(x);
  }
  node->set_next_edges(torch::autograd::collect_next_edges(x));
  torch::autograd::set_history(y, node);
  return y;
}

}  // namespace flowtrain::model
