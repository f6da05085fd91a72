// A network's description for tools.
#pragma once

#include <ostream>
#include <string>

#include "model/describe/network_description.h"
#include "stages/train/describe/request.h"

namespace flowtrain::train {

// One line a size that reaches the network. precision: "float32" or "bf16", what was described.
void PrintJson(const model::NetworkDescription& described, const DescribeRequest& request,
               const std::string& precision, std::ostream& out);

}  // namespace flowtrain::train
