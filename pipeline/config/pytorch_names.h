// What is called otherwise in PyTorch: the names that people bring from its DataLoader and samplers
// and from torchvision, and what there is here instead. The only such table; stages/README.md shows
// it, and a test holds the two together. Pure functions.
#pragma once

#include <span>
#include <string>

namespace flowtrain::config {

struct PyTorchName {
  const char* name;
  const char* of;    // "DataLoader", "DistributedSampler", "torchvision"
  const char* here;  // the parameter, stage or command; or why none is needed
};

std::span<const PyTorchName> PyTorchNames();

// `"num_workers" is PyTorch DataLoader's; here: ...`; empty where it is none of the names.
std::string PyTorchHint(const std::string& name);

}  // namespace flowtrain::config
