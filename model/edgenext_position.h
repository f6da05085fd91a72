// Fourier encoding of pixel positions, projected to the tokens' width: 32 features an axis, sin on
// even and cos on odd ones (EdgeNeXt's PositionalEncodingFourier). Key token_projection.
#pragma once

#include <torch/torch.h>

#include <map>
#include <memory>
#include <utility>

#include "model/layers/pointwise.h"

namespace flowtrain::model {

class PositionEncoding : public torch::nn::Module {
 public:
  explicit PositionEncoding(int64_t channels);

  torch::Tensor Forward(int64_t height, int64_t width);  // [1, height * width, C]

 private:
  std::shared_ptr<Pointwise> projection_;
  // By height and width, [1, height, width, 64]. None goes before the module: a recorded step reads
  // the one it was made with.
  std::map<std::pair<int64_t, int64_t>, torch::Tensor> features_;
};

}  // namespace flowtrain::model
