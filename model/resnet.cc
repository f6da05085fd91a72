#include "model/resnet.h"

#include <string>

#include "model/layers/numbered.h"

namespace flowtrain::model {
namespace {

constexpr std::array<int64_t, 4> kBlocks = {3, 4, 6, 3};
constexpr int64_t kExpansion = 4;  // channels out of a block over those inside it

Conv StridedConv(int64_t in, int64_t out, int64_t k, int64_t stride) {
  return Conv(
      torch::nn::Conv2dOptions(in, out, k).stride(stride).padding(k / 2).bias(false));
}

}  // namespace

// 1 x 1 to `width` channels, 3 x 3 at `stride`, 1 x 1 to four times `width`; beside it the input,
// projected where its shape differs.
class Bottleneck : public torch::nn::Module {
 public:
  Bottleneck(int64_t in, int64_t width, int64_t stride) {
    const int64_t out = kExpansion * width;
    AddLayer(0, StridedConv(in, width, 1, 1), width);
    AddLayer(1, StridedConv(width, width, 3, stride), width);
    AddLayer(2, StridedConv(width, out, 1, 1), out);
    if (stride == 1 && in == out) return;
    const auto downsample = register_module("downsample", std::make_shared<Numbered>());
    project_ = downsample->Add(0, StridedConv(in, out, 1, stride));
    project_norm_ = downsample->Add(1, torch::nn::BatchNorm2d(out));
  }

  torch::Tensor Forward(const torch::Tensor& x) {
    auto y = norms_[0]->forward(convs_[0]->forward(x)).relu_();
    y = norms_[1]->forward(convs_[1]->forward(y)).relu_();
    y = norms_[2]->forward(convs_[2]->forward(y));
    return y.add_(project_ ? project_norm_->forward(project_->forward(x)) : x).relu_();
  }

  torch::Tensor last_norm_weight() { return norms_[2]->weight; }

 private:
  void AddLayer(size_t i, const Conv& conv, int64_t channels) {
    const std::string number = std::to_string(i + 1);
    convs_[i] = register_module("conv" + number, conv);
    norms_[i] = register_module("bn" + number, torch::nn::BatchNorm2d(channels));
  }

  std::array<Conv, 3> convs_{nullptr, nullptr, nullptr};
  std::array<torch::nn::BatchNorm2d, 3> norms_{nullptr, nullptr, nullptr};
  Conv project_{nullptr};
  torch::nn::BatchNorm2d project_norm_{nullptr};
};

ResNet50::ResNet50(const ResNetOptions& options) {
  conv_ = register_module("conv1", StridedConv(3, 64, 7, 2));
  norm_ = register_module("bn1", torch::nn::BatchNorm2d(64));
  int64_t channels = 64;
  for (size_t layer = 0; layer < kBlocks.size(); ++layer) {
    const auto blocks =
        register_module("layer" + std::to_string(layer + 1), std::make_shared<Numbered>());
    const int64_t width = int64_t{64} << layer;
    for (int64_t i = 0; i < kBlocks[layer]; ++i) {
      const int64_t stride = i == 0 && layer > 0 ? 2 : 1;
      blocks_.push_back(blocks->Add(i, std::make_shared<Bottleneck>(channels, width, stride)));
      channels = kExpansion * width;
    }
  }
  fc_ = register_module("fc", Linear(channels, options.classes));

  for (const auto& module : modules(/*include_self=*/false)) {
    if (const auto* conv = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
    }
  }
  if (!options.zero_init_residual) return;
  for (const auto& block : blocks_) torch::nn::init::zeros_(block->last_norm_weight());
}

torch::Tensor ResNet50::Forward(const torch::Tensor& images) {
  auto x = norm_->forward(conv_->forward(images)).relu_();
  x = at::max_pool2d(x, 3, 2, 1);
  for (const auto& block : blocks_) x = block->Forward(x);
  return fc_->forward(x.mean({2, 3}));
}

}  // namespace flowtrain::model
