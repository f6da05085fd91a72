// The golden fills: deterministic weights and inputs, so that numbers computed elsewhere can be
// compared.
#pragma once

#include <torch/torch.h>

#include <cmath>
#include <string>

#include "model/state_dict.h"

namespace flowtrain::model {

// sin(step * i + offset) over a shape, double.
inline torch::Tensor Wave(at::IntArrayRef shape, double step, double offset = 0) {
  const auto count = c10::multiply_integers(shape);
  return at::sin(torch::arange(count, torch::kDouble) * step + offset).view(shape);
}

inline bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Makes the module double and fills it as camoxpert.md's golden values ask.
inline void FillExpert(torch::nn::Module& module) {
  torch::NoGradGuard no_grad;
  module.to(torch::kDouble);
  module.eval();
  int64_t k = 0;
  for (auto& [name, tensor] : StateDict(module)) {
    const auto offset = 0.11 * k++;
    if (EndsWith(name, "_base") || EndsWith(name, "num_batches_tracked")) continue;
    auto value = 0.1 * Wave(tensor.sizes(), 0.37, offset);
    if ((tensor.dim() == 1 && EndsWith(name, "weight")) || EndsWith(name, "running_var"))
      value += 1;
    tensor.copy_(value.to(torch::kFloat));
  }
}

// Makes the backbone double and fills it as backbones.md's golden values ask.
inline void FillBackbone(torch::nn::Module& module) {
  torch::NoGradGuard no_grad;
  module.to(torch::kDouble);
  module.eval();
  int64_t k = 0;
  for (auto& [name, tensor] : StateDict(module)) {
    auto value = 0.02 * Wave(tensor.sizes(), 0.37, 0.11 * k++);
    if (EndsWith(name, "norm.weight") || EndsWith(name, "norm_xca.weight") ||
        EndsWith(name, "downsample.0.weight") || name == "stem_1.weight" ||
        EndsWith(name, "temperature")) {
      value += 1;
    } else if (name.find("gamma") != std::string::npos) {
      value += 0.5;
    }
    tensor.copy_(value.to(torch::kFloat));
  }
}

}  // namespace flowtrain::model
