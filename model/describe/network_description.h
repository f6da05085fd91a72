// What a network costs, part by part: parameters, multiply-adds, and the memory that a forward pass
// leaves for backward. Found by running it on the CPU, on two images, or on some smaller ones
// (model/describe/larger_images.h); on one thread, which may be any.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/camoxpert_options.h"
#include "model/experts/expert.h"
#include "model/network.h"

namespace flowtrain::model {

struct DescribeOptions {
  int64_t height = 352, width = 352;  // of the images, >= 32
  int64_t batch = 1;                  // that memory is said for
  bool bf16 = false;                  // as the trainer computes on a GPU; else float32
  bool channels_last = true;
  int64_t most_pixels = 512 * 512;  // of an image that runs; seconds with CamoXpert's largest backbone
};

// A part with what is in it; its numbers include those of its parts.
struct DescribedPart {
  std::string name;  // the key of its module, "moe_layers.0.experts.3"; of the whole network ""
  std::string kind;  // of an expert: its name
  int64_t parameters = 0;
  int64_t trainable = 0;      // of these
  int64_t multiply_adds = 0;  // forward, of one image that goes through it
  int64_t held_bytes = 0;     // of the batch: allocated in it, and held until backward
  bool counted = true;        // false: nothing marks it, and what it costs is the whole network's
  double share = 1;  // of its parent's images that go through it: an expert's, top_k of all experts
  std::vector<DescribedPart> parts;
};

// An expert in the place of each mixture-of-experts layer, whether the network has it or not.
struct DescribedExpert {
  const ExpertKind* kind = nullptr;
  bool used = false;
  int64_t parameters = 0;     // of all layers
  int64_t multiply_adds = 0;  // of one image that goes through it in all layers
};

struct NetworkDescription {
  DescribedPart whole;
  std::vector<DescribedExpert> experts;
};

// The parts are what the network marks (model/describe/part_scope.h) and, for parameters outside of
// those, its children. Routing is as it comes, so that experts count where one image went.
DescribedPart DescribeNetwork(SegmentationNetwork& network, const DescribeOptions& options);

// The same of CamoXpert, as it is with balanced routing: of E experts each gets top_k / E of the
// images.
NetworkDescription DescribeCamoXpert(const CamoXpertOptions& network,
                                     const DescribeOptions& options);

}  // namespace flowtrain::model
