// ResNet-50 (He et al. 2016, "Deep Residual Learning for Image Recognition") v1.5: the stride sits on
// a block's 3 x 3 convolution. Keys, shapes and initial values are torchvision's.
#pragma once

#include <torch/torch.h>

#include <array>
#include <memory>
#include <vector>

#include "model/layers/conv.h"
#include "model/layers/linear.h"
#include "model/network.h"

namespace flowtrain::model {

struct ResNetOptions {
  int64_t classes = 1000;  // >= 1
  // Starts each block's last norm at 0, so that a block begins as the identity (Goyal et al. 2017).
  bool zero_init_residual = false;
};

class Bottleneck;

class ResNet50 : public ClassificationNetwork {
 public:
  explicit ResNet50(const ResNetOptions& options = {});
  torch::Tensor Forward(const torch::Tensor& images) override;

 private:
  Conv conv_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  std::vector<std::shared_ptr<Bottleneck>> blocks_;
  Linear fc_{nullptr};
};

}  // namespace flowtrain::model
