#include "model/state_dict.h"

namespace flowtrain::model {
namespace {

using Entries = std::vector<std::pair<std::string, torch::Tensor>>;

void Append(const torch::nn::Module& module, const std::string& prefix, Entries* entries) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    entries->emplace_back(prefix + parameter.key(), parameter.value());
  }
  for (const auto& buffer : module.named_buffers(/*recurse=*/false)) {
    entries->emplace_back(prefix + buffer.key(), buffer.value());
  }
  for (const auto& child : module.named_children()) {
    Append(*child.value(), prefix + child.key() + ".", entries);
  }
}

}  // namespace

Entries StateDict(const torch::nn::Module& module) {
  Entries entries;
  Append(module, "", &entries);
  return entries;
}

}  // namespace flowtrain::model
