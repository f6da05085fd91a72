// EdgeNeXt as a feature extractor (Maaz et al. 2022, "EdgeNeXt: Efficiently Amalgamated
// CNN-Transformer Architecture"), with timm's features-only keys: stem_0, stem_1, stages_0..3.
#pragma once

#include <torch/torch.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/edgenext_variants.h"

namespace flowtrain::model {

// Throws std::invalid_argument with the names there are.
const EdgeNextVariant& FindEdgeNext(const std::string& name);

class EdgeNextStage;

class EdgeNext : public torch::nn::Module {
 public:
  // drop_path: rate of the last block, rising linearly from 0 over all blocks. In [0, 1).
  EdgeNext(const EdgeNextVariant& variant, double drop_path);

  // [B, 3, H, W], sides >= 32 -> four maps [B, dims[i], H/2^(2+i), W/2^(2+i)] (rounded down).
  std::vector<torch::Tensor> Forward(const torch::Tensor& images);

 private:
  torch::nn::Conv2d stem_conv_{nullptr};
  std::shared_ptr<class ChannelNorm> stem_norm_;
  std::array<std::shared_ptr<EdgeNextStage>, 4> stages_;
};

}  // namespace flowtrain::model
