// EdgeNeXt with its classifier, under timm's keys of the whole network: stem, stages, head.norm,
// head.fc.
#pragma once

#include "model/edgenext.h"
#include "model/layers/linear.h"
#include "model/network.h"

namespace flowtrain::model {

class EdgeNextClassifier : public ClassificationNetwork {
 public:
  // classes >= 1. drop_path as in EdgeNext.
  EdgeNextClassifier(const EdgeNextVariant& variant, int64_t classes, double drop_path);
  torch::Tensor Forward(const torch::Tensor& images) override;

 private:
  EdgeNextTrunk trunk_;
  std::shared_ptr<ChannelNorm> norm_;
  Linear fc_{nullptr};
};

}  // namespace flowtrain::model
