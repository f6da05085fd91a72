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
  std::vector<std::string> mistyped;    // "NAME: Float in the module, Long given"
  std::vector<std::string> left_out;    // rightly so: LoadWeights
  size_t loaded = 0;                    // entries
  bool Complete() const {
    return missing.empty() && unexpected.empty() && misshaped.empty() && mistyped.empty();
  }
  std::string Text() const;  // counts, and at most 5 names of each kind; empty: nothing to say
};

enum class LoadMode {
  kStrict,      // all or nothing: an incomplete match throws std::runtime_error with the report's text
  kWhatFits,    // copies what matches by name and shape
};

// Copies into parameters and buffers by state-dict name; their device, dtype and memory layout
// stay. A floating-point entry takes any floating-point type, an integer one any integers, another
// only its own.
LoadReport LoadTensors(torch::nn::Module& module, const TensorMap& tensors, LoadMode mode);

}  // namespace flowtrain::model
