// A module whose children are named by number, as in PyTorch's Sequential and ModuleList. It only
// gives its children their keys: whoever made it keeps the children and calls them.
#pragma once

#include <torch/torch.h>

#include <string>

namespace flowtrain::model {

class Numbered : public torch::nn::Module {
 public:
  template <typename Child>
  auto Add(int64_t number, Child child) {
    return register_module(std::to_string(number), std::move(child));
  }
};

}  // namespace flowtrain::model
