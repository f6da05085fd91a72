// CamoXpert as a whole: shapes, sizes, modes.
#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include "model/camoxpert.h"
#include "tests/model/doctest_torch.h"

namespace flowtrain::model {
namespace {

CamoXpertOptions Small() {
  CamoXpertOptions options;
  options.backbone = "edgenext_xx_small";
  return options;
}

}  // namespace

TEST_CASE("sides that are no multiples of 32 work, down to 32") {
  torch::NoGradGuard no_grad;
  const auto network = MakeCamoXpert(Small());
  network->eval();
  for (const auto& [height, width] : {std::pair(32, 32), {33, 47}, {90, 64}, {101, 75}, {48, 64}, {64, 33}, {32, 128}}) {
    CAPTURE(height);
    CAPTURE(width);
    const auto output = network->Forward(torch::randn({2, 3, height, width}));
    CHECK((output.logits.sizes() == at::IntArrayRef({2, 1, height, width})));
    CHECK(at::isfinite(output.logits).all().item<bool>());
  }
}

TEST_CASE("side logits are given while training with deep supervision only") {
  torch::NoGradGuard no_grad;
  auto options = Small();
  const auto images = torch::randn({2, 3, 64, 96});
  auto network = MakeCamoXpert(options);
  const auto training = network->Forward(images);
  REQUIRE(training.deep.size() == 3);
  CHECK((training.deep[0].sizes() == at::IntArrayRef({2, 1, 4, 6})));
  CHECK((training.deep[1].sizes() == at::IntArrayRef({2, 1, 8, 12})));
  CHECK((training.deep[2].sizes() == at::IntArrayRef({2, 1, 16, 24})));
  CHECK(training.routing.size() == 4);
  CHECK((training.auxiliary.scalar_type() == torch::kFloat));
  CHECK(training.auxiliary.dim() == 0);
  network->eval();
  CHECK(network->Forward(images).deep.empty());
  options.deep_supervision = false;
  network = MakeCamoXpert(options);
  CHECK(network->Forward(images).deep.empty());
}

TEST_CASE("every size runs forward and backward, with both encoders and attentions") {
  for (const auto& variant : {"edgenext_xx_small", "edgenext_x_small"}) {
    for (const auto& encoder : kEncoderNames) {
      for (const auto& attention : kAttentionNames) {
        CAPTURE(variant);
        auto options = Small();
        options.backbone = variant;
        options.encoder = encoder;
        options.attention = attention;
        options.drop_path = 0.1;
        options.top_k = 7;  // so that every expert has gradients
        const auto network = MakeCamoXpert(options);
        auto output = network->Forward(torch::randn({2, 3, 64, 64}));
        auto loss = output.logits.square().mean() + output.auxiliary;
        for (const auto& deep : output.deep) loss = loss + deep.square().mean();
        loss.backward();
        for (const auto& parameter : network->named_parameters()) {
          CAPTURE(parameter.key());
          REQUIRE(parameter.value().grad().defined());
          CHECK(at::isfinite(parameter.value().grad()).all().item<bool>());
        }
      }
    }
  }
}

TEST_CASE("channels-last images give the same logits") {
  torch::NoGradGuard no_grad;
  torch::manual_seed(4);
  const auto network = MakeCamoXpert(Small());
  network->eval();
  const auto images = torch::randn({3, 3, 64, 64});
  const auto logits = network->Forward(images).logits;
  const auto last = network->Forward(images.contiguous(at::MemoryFormat::ChannelsLast)).logits;
  CHECK((logits - last).abs().max().item<double>() < 1e-4);
}

TEST_CASE("under bfloat16 autocast the logits stay near those in float") {
  torch::NoGradGuard no_grad;
  torch::manual_seed(4);
  auto options = Small();
  options.top_k = 7;  // no top-k choice that rounding could flip
  const auto network = MakeCamoXpert(options);
  network->eval();
  const auto images = torch::randn({2, 3, 64, 64});
  const auto expected = network->Forward(images).logits;
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const auto output = network->Forward(images);
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  CHECK((output.auxiliary.scalar_type() == torch::kFloat));
  const auto error = (output.logits.to(torch::kFloat) - expected).abs().max().item<double>();
  CHECK(error < 0.05 * expected.abs().max().item<double>());
}

TEST_CASE("one seed gives one network and one output") {
  torch::NoGradGuard no_grad;
  const auto logits = [] {
    torch::manual_seed(9);
    const auto network = MakeCamoXpert(Small());
    network->eval();
    return network->Forward(torch::randn({2, 3, 64, 64})).logits;
  };
  CHECK(at::equal(logits(), logits()));
}

}  // namespace flowtrain::model
