// Gradient checkpointing: the same gradients from less memory.
#include <torch/torch.h>

#include <optional>

#include "model/camoxpert.h"
#include "model/layers/autocast_scope.h"
#include "model/layers/low_precision.h"
#include "model/layers/recompute.h"
#include "model/peak_memory.h"
#include "tests/model/doctest_torch.h"
#include "tests/model/network_fill.h"

namespace flowtrain::model {
namespace {

struct Trained {
  torch::Tensor logits;
  std::vector<std::pair<std::string, torch::Tensor>> gradients;
  torch::Tensor drawn_after;  // random numbers, once the step is over
  int64_t peak_bytes = 0;
};

// One step of a network whose dropout and stochastic depth draw. bf16: under autocast, with weights cast
// at once.
Trained StepOf(bool checkpointing, const std::string& encoder, bool bf16) {
  torch::manual_seed(5);
  CamoXpertOptions options;
  options.backbone = "edgenext_xx_small";
  options.encoder = encoder;
  options.drop_path = 0.3;
  options.gradient_checkpointing = checkpointing;
  const auto network = MakeCamoXpert(options);
  std::optional<LowPrecisionWeights> low;
  if (bf16) low.emplace(*network, at::kBFloat16);
  const auto images = Wave({3, 3, 64, 96}, 0.013).to(torch::kFloat);
  Trained trained;
  trained.peak_bytes = PeakBytes(at::kCPU, [&] {
    torch::Tensor loss;
    {
      const Bf16Scope autocast(at::kCPU, bf16);
      const LowPrecisionWeights::Scope weights(low ? &*low : nullptr);
      const auto output = network->Forward(images);
      trained.logits = output.logits.detach().to(torch::kFloat);
      loss = (output.logits.to(torch::kFloat) * Wave(output.logits.sizes(), 0.7).to(torch::kFloat)).sum() + output.auxiliary;
    }
    loss.backward();
  });
  if (low) low->ReturnGradients();
  trained.drawn_after = torch::rand({4});
  for (const auto& parameter : network->named_parameters()) {
    trained.gradients.emplace_back(parameter.key(), parameter.value().grad());
  }
  return trained;
}

}  // namespace

TEST_CASE("a checkpointed step has the same logits and gradients, dropout and stochastic depth included") {
  for (const std::string encoder : {"gate", "sdta"}) {
    for (const bool bf16 : {false, true}) {
      CAPTURE(encoder);
      CAPTURE(bf16);
      const Trained kept = StepOf(false, encoder, bf16), recomputed = StepOf(true, encoder, bf16);
      CHECK(at::equal(kept.logits, recomputed.logits));
      CHECK(at::equal(kept.drawn_after, recomputed.drawn_after));
      REQUIRE(kept.gradients.size() == recomputed.gradients.size());
      double largest = 0;
      int with_gradient = 0;
      for (size_t i = 0; i < kept.gradients.size(); ++i) {
        const auto& [name, a] = kept.gradients[i];
        const auto& b = recomputed.gradients[i].second;
        CAPTURE(name);
        REQUIRE(a.defined() == b.defined());
        if (!a.defined()) continue;
        ++with_gradient;
        largest = std::max(largest, ((a - b).abs().max() / (a.abs().max() + 1e-12)).item<double>());
      }
      CHECK(with_gradient > 100);
      // 1.3e-6 is seen: a layer at a time, the sums of what has several users are taken in another order.
      CHECK(largest < (bf16 ? 1e-2 : 1e-5));
      MESSAGE(encoder, std::string(bf16 ? ", bf16" : ", float32"), ": largest relative difference of a gradient ", largest);
    }
  }
}

TEST_CASE("checkpointing keeps a fraction of a step's memory") {
  const int64_t kept = StepOf(false, "gate", false).peak_bytes;
  const int64_t recomputed = StepOf(true, "gate", false).peak_bytes;
  MESSAGE("kept ", kept / 1e6, " MB, recomputed ", recomputed / 1e6, " MB");
  CHECK(recomputed < 0.7 * static_cast<double>(kept));
}

TEST_CASE("a recomputed part under no gradients keeps nothing") {
  const torch::NoGradGuard no_grad;
  int calls = 0;
  const auto y = Recomputed([&](const torch::Tensor& x) { ++calls; return x * 2; }, torch::ones({2}));
  CHECK(calls == 1);
  CHECK(!y.requires_grad());
}

TEST_CASE("a part in which nothing wants a gradient gives none") {
  const auto scale = torch::full({3}, 2.0).requires_grad_();
  const auto y = Recomputed([](const torch::Tensor& x) { return x * 2; }, torch::full({3}, 5.0));
  (y * scale).sum().backward();
  CHECK(at::equal(scale.grad(), torch::full({3}, 10.0)));
}

TEST_CASE("a part whose input wants no gradient still gives its own weights theirs") {
  const auto weight = torch::full({3}, 2.0).requires_grad_();
  const auto y = Recomputed([&](const torch::Tensor& x) { return x * weight; }, torch::full({3}, 5.0));
  y.sum().backward();
  CHECK(at::equal(weight.grad(), torch::full({3}, 5.0)));
}

}  // namespace flowtrain::model
