// A module's tensors under PyTorch's state_dict names and in its order, which torch::nn::Module's
// own traversals do not give (they list all parameters, then all buffers).
#pragma once

#include <torch/torch.h>

#include <string>
#include <utility>
#include <vector>

namespace flowtrain::model {

// For each module: its parameters, its buffers, then its children in the order of registration.
// The tensors are the module's own, not copies.
std::vector<std::pair<std::string, torch::Tensor>> StateDict(const torch::nn::Module& module);

}  // namespace flowtrain::model
