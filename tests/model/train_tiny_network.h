// A network small enough to train in a test: two convolutions, batch norm (so that there are buffers),
// dropout (so that random numbers matter), a side output, an auxiliary loss and a made-up routing.
#pragma once

#include <torch/torch.h>

#include "model/network.h"

namespace flowtrain::model::test {

class TinyNetwork final : public SegmentationNetwork {
 public:
  TinyNetwork() {
    torch::manual_seed(7);
    first_ = register_module("first", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1)));
    norm_ = register_module("norm", torch::nn::BatchNorm2d(8));
    drop_ = register_module("drop", torch::nn::Dropout(0.2));
    side_ = register_module("side", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 1, 1)));
    last_ = register_module("last", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 1, 1)));
    // Never used in Forward: it gets no gradient, as an expert that no image was routed to.
    idle_ = register_module("idle", torch::nn::Linear(2, 2));
  }

  SegmentationOutput Forward(const torch::Tensor& images) override {
    input_type = images.scalar_type();
    const torch::Tensor hidden = drop_(torch::relu(norm_(first_(images))));
    SegmentationOutput output;
    output.logits = last_(hidden) * scale;
    if (is_training()) output.deep = {side_(torch::avg_pool2d(hidden, 4))};
    output.auxiliary = 0.01 * first_->weight.square().mean();
    const int64_t n = images.size(0);
    const auto options = torch::dtype(torch::kFloat).device(images.device());
    const torch::Tensor usage = torch::zeros({2}, options);
    usage[0].fill_(static_cast<double>(n));
    output.routing = {{torch::zeros({n, 1}, options.dtype(torch::kLong)), torch::ones({n, 1}, options),
                       usage}};
    return output;
  }

  double scale = 1;
  at::ScalarType input_type = at::kFloat;

 private:
  torch::nn::Conv2d first_{nullptr}, side_{nullptr}, last_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  torch::nn::Dropout drop_{nullptr};
  torch::nn::Linear idle_{nullptr};
};

// Bright squares on a noisy ground, and where they are.
struct ToyBatch {
  torch::Tensor images;  // [4, 3, 32, 32]
  torch::Tensor masks;   // [4, 1, 32, 32]
};

inline ToyBatch MakeToyBatch(uint64_t seed) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  ToyBatch batch{torch::randn({4, 3, 32, 32}, generator) * 0.3, torch::zeros({4, 1, 32, 32})};
  for (int64_t i = 0; i < 4; ++i) {
    const auto at = static_cast<int64_t>((seed * 5 + i * 3) % 16);
    batch.masks[i].narrow(1, at, 12).narrow(2, 16 - at, 12).fill_(1);
  }
  batch.images += batch.masks;
  return batch;
}

}  // namespace flowtrain::model::test
