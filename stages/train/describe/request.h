// What `flowtrain model describe` asks of the LibTorch half. Free of LibTorch.
#pragma once

#include <flowtrain/context.h>

#include <cstdint>
#include <string>
#include <vector>

#include "stages/train/segmentation_params.h"

namespace flowtrain::train {

struct DescribeRequest {
  std::string graph, stage;         // their names
  std::vector<std::string> phases;  // that this is so in; none: the graph has none
  SegmentationParams params;
  int64_t height = 0, width = 0, batch = 0;  // what reaches the stage
  std::string precision = "auto";            // auto, float32, bf16
  bool json = false;
  ProvidedLookup provided;  // finds a plugin's network
};

}  // namespace flowtrain::train
