// Multi-head self-attention over the pixels of a feature map, used by the attention expert and the
// sdta encoder. Keys qkv.weight, proj.{weight,bias}, the same for both kinds, so that a checkpoint
// moves between them. Whoever uses it adds the residual.
//
// standard: softmax(q k^T / sqrt(d_h)) v (Vaswani et al. 2017).
// linear:   phi(q) (phi(k)^T v) / (phi(q) . sum_n phi(k_n) + 1e-6), phi(x) = elu(x) + 1
//           (Katharopoulos et al. 2020, "Transformers are RNNs", eq. 5-7). In float, because
//           elu + 1 rounds to 0 in bfloat16; with the normaliser, without which the output
//           grows with N.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "model/layers/pointwise.h"

namespace flowtrain::model {

enum class AttentionKind { kLinear, kStandard };

// 8, or the largest number below that divides the channels (edgenext_x_small has a stage of 100).
int64_t AttentionHeads(int64_t channels);

// q, k, v: [B, heads, N, d_h] of one type; computed and returned in at least float.
torch::Tensor LinearAttention(const torch::Tensor& q, const torch::Tensor& k,
                              const torch::Tensor& v);

class Attention : public torch::nn::Module {
 public:
  Attention(int64_t channels, AttentionKind kind);

  torch::Tensor Forward(const torch::Tensor& x);  // [B, C, H, W] -> [B, C, H, W]

 private:
  const int64_t heads_;
  const AttentionKind kind_;
  std::shared_ptr<Pointwise> qkv_;
  std::shared_ptr<Pointwise> proj_;
};

}  // namespace flowtrain::model
