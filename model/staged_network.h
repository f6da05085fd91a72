// A segmentation network in parts. What encoding and decoding launch depends on the batch's shape alone,
// so a trainer may record them once and replay them (model/train/recorded_step.h); the experts between
// depend on what encoding decided, each alone on how many images chose it. Called on the trainer's thread only.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <vector>

#include "model/experts/expert.h"
#include "model/network.h"
#include "model/router.h"

namespace flowtrain::model {

// What goes into one mixture-of-experts layer, and where to.
struct EncodedLayer {
  torch::Tensor features;   // [B, d, H, W]
  RouterDecision decision;
  torch::Tensor next_from;  // what the next layer is encoded from; undefined after the last one
};

class StagedNetwork : public SegmentationNetwork {
 public:
  virtual size_t layers() const = 0;
  // Layer 0, 1, ... in turn. from: the images, then the next_from of the layer before. A layer at a time,
  // so that the host learns a layer's decision while the device still encodes those behind it.
  virtual EncodedLayer Encode(size_t layer, const torch::Tensor& from) = 0;
  // The experts' weighted sum, as encoded.features. chosen: encoded.decision.indices on the host.
  virtual torch::Tensor Mix(size_t layer, const EncodedLayer& encoded, const torch::Tensor& chosen) = 0;
  // What Mix takes the sum of.
  virtual const std::vector<std::shared_ptr<Expert>>& experts(size_t layer) const = 0;
  // mixed: of all layers. height, width: the images' size. Logits and side logits; no auxiliary loss, no
  // routing.
  virtual SegmentationOutput Decode(const std::vector<torch::Tensor>& mixed, int64_t height,
                                    int64_t width) = 0;

  // Whether encoding, decoding and their backward passes may be recorded.
  virtual bool recordable() const { return true; }

  // Launches all encoding before it waits for the first decision.
  SegmentationOutput Forward(const torch::Tensor& images) final;
};

// The sum of the routers' losses of one layer or more; scalar float32.
torch::Tensor AuxiliaryLoss(const std::vector<EncodedLayer>& layers);

}  // namespace flowtrain::model
