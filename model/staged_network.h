// A segmentation network in three parts. What the first and the last launch depends on the batch's shape
// alone, so a trainer may record it once and replay it (model/train/recorded_step.h); the part between
// depends on what the first decided. Called on the trainer's thread only.
#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/network.h"
#include "model/router.h"

namespace flowtrain::model {

// For each mixture-of-experts layer, what goes into it and where to.
struct Encoded {
  std::vector<torch::Tensor> features;    // [B, d, H, W]
  std::vector<RouterDecision> decisions;
};

class StagedNetwork : public SegmentationNetwork {
 public:
  virtual Encoded Encode(const torch::Tensor& images) = 0;
  // Waits once for the decisions, with nothing launched after Encode: the device idles for as long as
  // it takes to launch the first expert.
  virtual std::vector<torch::Tensor> Mix(const Encoded& encoded) = 0;  // as encoded.features
  // height, width: the images' size. Logits and side logits; no auxiliary loss, no routing.
  virtual SegmentationOutput Decode(const std::vector<torch::Tensor>& mixed, int64_t height,
                                    int64_t width) = 0;

  // Whether Encode, Decode and their backward passes may be recorded.
  virtual bool recordable() const { return true; }

  SegmentationOutput Forward(const torch::Tensor& images) final;
};

// The sum of the routers' losses; scalar float32.
torch::Tensor AuxiliaryLoss(const Encoded& encoded);
// The decisions without their gradients.
std::vector<Routing> RoutingOf(const Encoded& encoded);

}  // namespace flowtrain::model
