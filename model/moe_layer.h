// A mixture of experts over the images of a batch: out = sum over the image's k experts of
// w_k * expert_k(x). Keys gate.1.*, experts.E.*. Called on the trainer's thread.
//
// Grouped dispatch: the images are sorted by expert, each expert runs once on its images, and the
// weighted results are summed back. The host needs only how many images each expert got: one copy
// of E numbers, and so one wait for the device, a layer.
//
// An expert that no image chose is not run, and its gradients stay undefined. To an optimizer that
// means "leave this parameter alone": no weight decay, no step of its moments.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "model/experts/expert.h"
#include "model/network.h"
#include "model/router.h"

namespace flowtrain::model {

struct MoeOutput {
  torch::Tensor features;   // [B, d, H, W], at least float
  torch::Tensor auxiliary;  // scalar, the router's weighted loss
  Routing routing;
};

class MoeLayer : public torch::nn::Module {
 public:
  // experts: names, options.experts of them.
  MoeLayer(int64_t channels, const std::vector<std::string>& experts, AttentionKind attention,
           const RouterOptions& options);

  MoeOutput Forward(const torch::Tensor& x);  // [B, d, H, W]

  // The experts' weighted sum for a decision already made.
  torch::Tensor Dispatch(const torch::Tensor& x, const RouterDecision& decision);

 private:
  std::shared_ptr<Router> router_;
  std::vector<std::shared_ptr<Expert>> experts_;
};

}  // namespace flowtrain::model
