// A linear map of the last dimension, the 1 x 1 convolution of channels-last maps, alone and with what
// mostly follows it. Each is one node of the gradient's graph, of few launches: as separate operators
// under autocast the same costs the host twice as much, and ATen's sum of a bias's gradient the GPU ten
// times what a product with ones does.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

// x: [..., in], weight: [out, in], bias: [out] or undefined -> [..., out]. Under autocast x is cast to
// weight's type, or both to autocast's.
torch::Tensor LinearLast(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias);

// GELU(LayerNorm(LinearLast(x, weight, bias))), eps 1e-6; norm_weight, norm_bias: [out].
torch::Tensor LinearNormGelu(const torch::Tensor& x, const torch::Tensor& weight,
                             const torch::Tensor& bias, const torch::Tensor& norm_weight,
                             const torch::Tensor& norm_bias);

// LayerNorm(x) over the last dimension, and GELU of it where `gelu` is set; of x's type.
torch::Tensor Norm(const torch::Tensor& x, const torch::Tensor& norm_weight, const torch::Tensor& norm_bias,
                   bool gelu);

// torch::nn::Linear with weights as Low gives them.
class LinearImpl : public torch::nn::LinearImpl {
 public:
  using torch::nn::LinearImpl::LinearImpl;
  torch::Tensor forward(const torch::Tensor& x);
};
TORCH_MODULE(Linear);

}  // namespace flowtrain::model
