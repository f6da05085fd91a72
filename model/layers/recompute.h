// Gradient checkpointing (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost"): of a part of
// the network only the input is kept, and what its gradients need is computed from that once more. On the
// trainer's thread.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>

namespace flowtrain::model {

using PartOfNetwork = std::function<torch::Tensor(const torch::Tensor&)>;

// part(x), on x's device. Where gradients are wanted `part` is called again in the backward pass, with the
// random numbers, the autocast and the half-type weights of now; what it owns must live until then. It must
// not keep account of what it sees (batch norm's running statistics). No second derivatives.
torch::Tensor Recomputed(PartOfNetwork part, const torch::Tensor& x);

// module->Forward(x), recomputed where the caller says so.
template <class Module>
torch::Tensor ForwardOf(const std::shared_ptr<Module>& module, const torch::Tensor& x, bool recompute) {
  if (!recompute) return module->Forward(x);
  return Recomputed([module](const torch::Tensor& input) { return module->Forward(input); }, x);
}

}  // namespace flowtrain::model
