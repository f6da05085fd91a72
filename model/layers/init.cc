#include "model/layers/init.h"

#include <cmath>

#include "model/layers/pointwise.h"

namespace flowtrain::model {

void TruncatedNormal(torch::Tensor& weight, double std) {
  torch::NoGradGuard no_grad;
  // Inverse of the distribution function: u uniform in (Phi(-2), Phi(2)) -> sqrt(2) erfinv(2u - 1).
  const double bound = std::erf(2.0 / std::sqrt(2.0));
  weight.uniform_(-bound, bound).erfinv_().mul_(std * std::sqrt(2.0)).clamp_(-2 * std, 2 * std);
}

void InitTruncatedNormal(torch::nn::Module& module) {
  torch::NoGradGuard no_grad;
  const auto init = [](torch::nn::Module& layer) {
    auto parameters = layer.named_parameters(/*recurse=*/false);
    TruncatedNormal(parameters["weight"], 0.02);
    if (auto* bias = parameters.find("bias")) bias->zero_();
  };
  for (const auto& child : module.modules(/*include_self=*/false)) {
    if (child->as<torch::nn::Conv2dImpl>() || child->as<torch::nn::LinearImpl>() ||
        child->as<Pointwise>()) {
      init(*child);
    }
  }
}

void InitDefault(torch::Tensor& weight, torch::Tensor& bias) {
  torch::NoGradGuard no_grad;
  const double bound = 1.0 / std::sqrt(static_cast<double>(weight.numel() / weight.size(0)));
  weight.uniform_(-bound, bound);
  if (bias.defined()) bias.uniform_(-bound, bound);
}

}  // namespace flowtrain::model
