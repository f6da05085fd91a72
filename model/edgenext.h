// EdgeNeXt (Maaz et al. 2022, "EdgeNeXt: Efficiently Amalgamated CNN-Transformer Architecture"): its
// trunk, and the trunk alone as a feature extractor.
#pragma once

#include <torch/torch.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/edgenext_variants.h"
#include "model/layers/conv.h"

namespace flowtrain::model {

// Throws std::invalid_argument with the names there are.
const EdgeNextVariant& FindEdgeNext(const std::string& name);

class EdgeNextStage;

// How timm spells the trunk's keys: as a feature extractor stem_0, stem_1, stages_0 ... stages_3, in
// the whole network stem.0, stem.1, stages.0 ... stages.3.
enum class EdgeNextKeys { kFeatures, kWhole };

// Registers its modules with an owner, which outlives it.
class EdgeNextTrunk {
 public:
  // drop_path: rate of the last block, rising linearly from 0 over all blocks. In [0, 1).
  // recompute: each block keeps its input only (model/layers/recompute.h).
  EdgeNextTrunk(torch::nn::Module& owner, EdgeNextKeys keys, const EdgeNextVariant& variant,
                double drop_path, bool recompute = false);

  // [B, 3, H, W], sides >= 32 -> four maps [B, dims[i], H/2^(2+i), W/2^(2+i)] (rounded down).
  std::vector<torch::Tensor> Forward(const torch::Tensor& images);
  // Map i alone, from the map before it or, the first one, from the images.
  torch::Tensor ForwardStage(size_t i, const torch::Tensor& from);

 private:
  torch::Tensor Stem(const torch::Tensor& images);

  Conv stem_conv_{nullptr};
  std::shared_ptr<class ChannelNorm> stem_norm_;
  std::array<std::shared_ptr<EdgeNextStage>, 4> stages_;
  std::array<std::string, 4> stage_keys_;
};

class EdgeNext : public torch::nn::Module {
 public:
  EdgeNext(const EdgeNextVariant& variant, double drop_path, bool recompute = false);
  std::vector<torch::Tensor> Forward(const torch::Tensor& images) { return trunk_.Forward(images); }
  torch::Tensor ForwardStage(size_t i, const torch::Tensor& from) { return trunk_.ForwardStage(i, from); }

 private:
  EdgeNextTrunk trunk_;
};

}  // namespace flowtrain::model
