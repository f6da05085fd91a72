// Puts named tensors into a module, with an account of what did not fit. On the thread that owns the
// module.
#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "model/io/tensor_map.h"

namespace flowtrain::model {

struct LoadReport {
  std::vector<std::string> missing;     // the module has it, the tensors don't
  std::vector<std::string> unexpected;  // the other way round
  std::vector<std::string> misshaped;   // "NAME: [2, 3] in the module, [3, 2] given"
  bool Complete() const { return missing.empty() && unexpected.empty() && misshaped.empty(); }
  std::string Text() const;             // one line a kind, at most 5 names each
};

enum class LoadMode {
  kStrict,      // all or nothing: an incomplete match throws std::runtime_error with the report's text
  kWhatFits,    // copies what matches by name and shape
};

// Copies into parameters and buffers by state-dict name; their device, dtype and memory layout stay.
LoadReport LoadTensors(torch::nn::Module& module, const TensorMap& tensors, LoadMode mode);

}  // namespace flowtrain::model
