// An expert maps a feature map of d channels to d channels and adds its input. The list of experts
// and how one is made by name.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>

#include "model/layers/attention.h"

namespace flowtrain::model {

class Expert : public torch::nn::Module {
 public:
  virtual torch::Tensor Forward(const torch::Tensor& x) = 0;  // [B, d, H, W], B >= 1
};

// channels: a multiple of 4. Each is described in the file of its name.
std::shared_ptr<Expert> MakeTextureExpert(int64_t channels);
std::shared_ptr<Expert> MakeAttentionExpert(int64_t channels, AttentionKind kind);
std::shared_ptr<Expert> MakeHybridExpert(int64_t channels);
std::shared_ptr<Expert> MakeFrequencyExpert(int64_t channels);
std::shared_ptr<Expert> MakeEdgeExpert(int64_t channels);
std::shared_ptr<Expert> MakeSemanticContextExpert(int64_t channels);
std::shared_ptr<Expert> MakeContrastExpert(int64_t channels);

// name: one of kExpertNames. Throws std::invalid_argument with the names there are.
std::shared_ptr<Expert> MakeExpert(const std::string& name, int64_t channels, AttentionKind kind);

}  // namespace flowtrain::model
