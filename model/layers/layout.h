// Views between [B, C, H, W] and [B, H, W, C]. For a channels-last tensor both are free, and what
// comes back is channels-last again, so the network keeps that layout whatever it is given.
#pragma once

#include <torch/torch.h>

namespace flowtrain::model {

inline torch::Tensor ChannelsToEnd(const torch::Tensor& x) { return x.permute({0, 2, 3, 1}); }
inline torch::Tensor ChannelsToFront(const torch::Tensor& x) { return x.permute({0, 3, 1, 2}); }

// The C++ API has no Module::to(memory_format). Under NoGradGuard.
inline void ToChannelsLast(torch::nn::Module& module) {
  for (torch::Tensor& parameter : module.parameters()) {
    if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(at::MemoryFormat::ChannelsLast));
  }
}

}  // namespace flowtrain::model
