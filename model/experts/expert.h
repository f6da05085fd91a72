// An expert maps a feature map of d channels to d channels and adds its input. The list of experts
// and how one is made by name.
#pragma once

#include <torch/torch.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "model/camoxpert_options.h"
#include "model/layers/attention.h"

namespace flowtrain::model {

class Expert : public torch::nn::Module {
 public:
  // May be recorded: a tensor that it keeps from one call for others stays where it is as long as it lives.
  virtual torch::Tensor Forward(const torch::Tensor& x) = 0;  // [B, d, H, W], B >= 1
};

// A kind of expert, defined in the file of its name, which has its formula.
struct ExpertKind {
  std::string_view name;
  std::string_view computes;  // in one line
  std::string_view source;    // the project or paper it comes from
  // channels: a multiple of 4. attention: for those that have one.
  std::shared_ptr<Expert> (*make)(int64_t channels, AttentionKind attention);
};
extern const ExpertKind kTextureExpert, kAttentionExpert, kHybridExpert, kFrequencyExpert, kEdgeExpert,
    kSemanticContextExpert, kContrastExpert;

// All there are, in the order of kExpertNames.
std::array<const ExpertKind*, kExpertNames.size()> ExpertKinds();

// name: one of kExpertNames. Throws std::invalid_argument with the names there are.
const ExpertKind& FindExpert(const std::string& name);
std::shared_ptr<Expert> MakeExpert(const std::string& name, int64_t channels, AttentionKind kind);

}  // namespace flowtrain::model
