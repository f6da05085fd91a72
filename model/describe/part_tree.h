// From counts by name to a tree of parts.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

#include "model/describe/network_description.h"

namespace flowtrain::model {

// One part by itself, without what is in it.
struct PartCost {
  std::string kind;
  int64_t multiply_adds = 0;
  int64_t image_bytes = 0;  // held, of one image
  double share = 1;
};

// parts: by the keys of network's modules. Their parameters are those under these keys; what is
// under none is under the network's child that holds it. In the order of the parameters.
DescribedPart TreeOf(const torch::nn::Module& network, const std::map<std::string, PartCost>& parts,
                     int64_t batch);

}  // namespace flowtrain::model
