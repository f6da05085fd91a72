// What stands between a backbone stage and its mixture of experts, under the keys sdta_blocks.i:
// the gate block, and in the sdta variant an attention of its own after it.
//   gate: x * sigmoid(1x1(relu(1x1(mean over pixels)))), then times sigmoid(7x7 conv d -> 1)
//         (Woo et al. 2018, "CBAM", without its max pools)
//   sdta: x + gamma * A(x), gamma a channel's own and 1e-6 at the start, so that it begins as gate
#pragma once

#include <torch/torch.h>

#include <memory>
#include <optional>

#include "model/layers/attention.h"
#include "model/layers/conv.h"
#include "model/layers/pointwise.h"

namespace flowtrain::model {

class StageEncoder : public torch::nn::Module {
 public:
  // attention: none for the gate variant.
  StageEncoder(int64_t channels, std::optional<AttentionKind> attention);

  torch::Tensor Forward(const torch::Tensor& x);  // [B, d, H, W] -> the same shape

 private:
  std::shared_ptr<Pointwise> squeeze_;
  std::shared_ptr<Pointwise> excite_;
  Conv spatial_{nullptr};
  torch::Tensor gamma_;                   // undefined in the gate variant
  std::shared_ptr<Attention> attention_;  // null in the gate variant
};

}  // namespace flowtrain::model
