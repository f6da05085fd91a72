// A mixture of experts over the images of a batch: out = sum over the image's k experts of
// w_k * expert_k(x). Keys gate.1.*, experts.E.*. Called on the trainer's thread.
//
// Grouped dispatch: each expert runs once, on the images of the batch that chose it (model/dispatch.h).
// Which these are the host must know, so there are two steps: Decide is of the device alone, Mix wants
// its choice on the host. A network calls Decide of all its layers before the first Mix, so that the
// device has work while the host waits for the choice.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <vector>

#include "model/experts/expert.h"
#include "model/router.h"

namespace flowtrain::model {

class MoeLayer : public torch::nn::Module {
 public:
  // experts: names, options.experts of them. recompute: each keeps its input only.
  MoeLayer(int64_t channels, const std::vector<std::string>& experts, AttentionKind attention,
           const RouterOptions& options, bool recompute = false);

  RouterDecision Decide(const torch::Tensor& x);  // [B, d, H, W]

  // The experts' weighted sum, [B, d, H, W]. weights: [B, k], with gradients; indices: [B, k] on the
  // host. Experts that no image chose get gradients of 0.
  torch::Tensor Mix(const torch::Tensor& x, const torch::Tensor& weights, const torch::Tensor& indices);

  const std::vector<std::shared_ptr<Expert>>& experts() const { return experts_; }

 private:
  const bool recompute_;
  std::shared_ptr<Router> router_;
  std::vector<std::shared_ptr<Expert>> experts_;
};

}  // namespace flowtrain::model
