// Fourier encoding of pixel positions, projected to the tokens' width: 32 features an axis, sin on
// even and cos on odd ones (EdgeNeXt's PositionalEncodingFourier). Key token_projection.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "model/layers/pointwise.h"

namespace flowtrain::model {

class PositionEncoding : public torch::nn::Module {
 public:
  explicit PositionEncoding(int64_t channels);

  torch::Tensor Forward(int64_t height, int64_t width);  // [1, height * width, C]

 private:
  std::shared_ptr<Pointwise> projection_;
  // The last size's features, [1, height, width, 64]: a network sees one size for a long time.
  torch::Tensor features_;
};

}  // namespace flowtrain::model
