// Chooses experts for each image of a batch: one routing an image, from its mean features. It only
// decides; MoeLayer dispatches. So all routers of a network can decide before any layer dispatches.
//   logits = 1x1(mean over pixels); top-k; softmax over the k chosen logits
//   (Shazeer et al. 2017, "Outrageously Large Neural Networks", without its noise)
//   balance = E * sum_e f_e P_e, f the share of routed slots (no gradient), P the batch's mean
//   of the full softmax (Fedus et al. 2022, "Switch Transformers", eq. 4-6)
//   z = mean(logsumexp(logits)^2) (Zoph et al. 2022, "ST-MoE", eq. 5)
#pragma once

#include <torch/torch.h>

#include <memory>

#include "model/layers/pointwise.h"
#include "model/network.h"

namespace flowtrain::model {

struct RouterOptions {
  int64_t experts;  // E
  int64_t top_k;    // 1..experts
  double balance_weight;
  double z_weight;
};

struct RouterDecision {
  torch::Tensor weights;    // [B, top_k], with gradients
  torch::Tensor indices;    // [B, top_k] int64
  torch::Tensor usage;      // [E] float, images an expert, on the device
  torch::Tensor auxiliary;  // scalar, balance_weight * balance + z_weight * z
};

// Without gradients.
Routing RoutingOf(const RouterDecision& decision);

class Router : public torch::nn::Module {
 public:
  Router(int64_t channels, const RouterOptions& options);

  // All in at least float, whatever x's type and autocast: bfloat16 would tie close logits.
  RouterDecision Forward(const torch::Tensor& x);  // [B, d, H, W]

 private:
  const RouterOptions options_;
  std::shared_ptr<Pointwise> linear_;  // key 1
};

}  // namespace flowtrain::model
