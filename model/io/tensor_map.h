// Named tensors and the string metadata beside them, as a checkpoint file holds them. Plain values.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "model/io/metadata.h"

namespace flowtrain::model {

using TensorMap = std::map<std::string, at::Tensor>;

}  // namespace flowtrain::model
