// The classification networks: shapes, strides, initial values, gradients. Their values are held
// against the Python packages by tests/parity.
#include <torch/torch.h>

#include "model/edgenext_classifier.h"
#include "model/resnet.h"
#include "model/state_dict.h"
#include "tests/model/doctest_torch.h"
#include "tests/model/network_fill.h"

namespace flowtrain::model {
namespace {

std::map<std::string, torch::Tensor> Entries(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> entries;
  for (const auto& [name, tensor] : StateDict(module)) entries.emplace(name, tensor);
  return entries;
}

}  // namespace

TEST_CASE("a classifier gives one logit a class, for any side from 32 and both memory layouts") {
  torch::NoGradGuard no_grad;
  torch::manual_seed(1);
  const auto try_one = [](ClassificationNetwork& network) {
    network.eval();
    for (const auto side : {32, 75}) {
      const auto images = Wave({2, 3, side, side + 7}, 0.013).to(torch::kFloat);
      const auto logits = network.Forward(images);
      CHECK((logits.sizes() == at::IntArrayRef({2, 10})));
      const auto other = network.Forward(images.contiguous(at::MemoryFormat::ChannelsLast));
      CHECK(at::allclose(logits, other, 1e-4, 1e-5));
    }
  };
  ResNet50 resnet({.classes = 10});
  try_one(resnet);
  EdgeNextClassifier edgenext(FindEdgeNext("edgenext_xx_small"), 10, 0);
  try_one(edgenext);
}

TEST_CASE("ResNet-50's stride sits on the 3 x 3 convolution") {
  const ResNet50 network;
  for (const auto& child : network.named_modules("", /*include_self=*/false)) {
    const auto* conv = child.value()->as<torch::nn::Conv2d>();
    if (conv == nullptr || conv->options.stride()->at(0) == 1 || child.key() == "conv1") continue;
    CAPTURE(child.key());
    CHECK((EndsWith(child.key(), ".0.conv2") || EndsWith(child.key(), ".0.downsample.0")));
  }
}

TEST_CASE("ResNet-50 starts with He's normal by fan out, norms of 1 and 0, and at will idle blocks") {
  torch::manual_seed(3);
  const auto plain = Entries(ResNet50()), idle = Entries(ResNet50({.zero_init_residual = true}));
  for (const auto& [name, tensor] : plain) {
    CAPTURE(name);
    if (tensor.dim() == 4) {
      const double expected = std::sqrt(2.0 / static_cast<double>(tensor.size(0) * tensor[0][0].numel()));
      CHECK(tensor.std().item<double>() == doctest::Approx(expected).epsilon(0.05));
    } else if (EndsWith(name, "running_mean") || (EndsWith(name, "bias") && name != "fc.bias")) {
      CHECK(tensor.abs().max().item<double>() == 0);
    } else if (tensor.dim() == 1 && EndsWith(name, "weight")) {
      CHECK(tensor.min().item<double>() == 1);
      const bool last = EndsWith(name, "bn3.weight");
      CHECK(idle.at(name).max().item<double>() == (last ? 0 : 1));
    }
  }
}

TEST_CASE("every weight of a classifier gets a gradient") {
  torch::manual_seed(5);
  const auto try_one = [](ClassificationNetwork& network) {
    network.Forward(torch::rand({2, 3, 64, 64})).square().sum().backward();
    for (const auto& parameter : network.named_parameters()) {
      CAPTURE(parameter.key());
      REQUIRE(parameter.value().grad().defined());
      CHECK(at::isfinite(parameter.value().grad()).all().item<bool>());
      CHECK(parameter.value().grad().abs().max().item<double>() > 0);
    }
  };
  ResNet50 resnet({.classes = 10});
  try_one(resnet);
  EdgeNextClassifier edgenext(FindEdgeNext("edgenext_xx_small"), 10, 0);
  try_one(edgenext);
}

}  // namespace flowtrain::model
