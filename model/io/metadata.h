// The string metadata beside a safetensors file's tensors. A plain value.
#pragma once

#include <map>
#include <string>

namespace flowtrain::model {

using Metadata = std::map<std::string, std::string>;

}  // namespace flowtrain::model
