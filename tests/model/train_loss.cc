#include <torch/torch.h>

#include <ATen/autocast_mode.h>

#include <cmath>

#include "model/doctest_torch.h"
#include "model/loss/camoxpert_loss.h"
#include "model/loss/cross_entropy.h"
#include "model/loss/structure_loss.h"
#include "model/layers/autocast_scope.h"

namespace flowtrain::model {
namespace {

// The case whose values were computed independently in float64.
torch::Tensor GoldenLogits() {
  return (torch::arange(2 * 40 * 48, torch::kDouble) * 0.05).sin().mul(3).view({2, 1, 40, 48});
}

torch::Tensor GoldenMasks() {
  torch::Tensor masks = torch::zeros({2, 1, 40, 48}, torch::kDouble);
  masks[0][0].narrow(0, 10, 20).narrow(1, 12, 21).fill_(1);
  return masks;
}

SegmentationOutput Output(const torch::Tensor& logits) {
  SegmentationOutput output;
  output.logits = logits;
  return output;
}

doctest::Approx Exactly(double value) { return doctest::Approx(value).scale(0).epsilon(2e-10); }

TEST_CASE("the structure loss has the specification's values") {
  const StructureLossParts loss = StructureLoss(GoldenLogits(), GoldenMasks());
  CHECK(loss.bce[0].item<double>() == Exactly(1.1258646351));
  CHECK(loss.bce[1].item<double>() == Exactly(1.1579122698));
  CHECK(loss.iou[0].item<double>() == Exactly(0.7083185908));
  CHECK(loss.iou[1].item<double>() == Exactly(0.9989683611));
  CHECK(loss.total.item<double>() == Exactly(1.9955319284));
}

TEST_CASE("the structure loss's weights count: weighted BCE is not the plain mean") {
  const StructureLossParts loss = StructureLoss(GoldenLogits(), GoldenMasks());
  const torch::Tensor plain = torch::binary_cross_entropy_with_logits(
      GoldenLogits(), GoldenMasks(), {}, {}, at::Reduction::None).mean({1, 2, 3});
  CHECK(std::abs(loss.bce[0].item<double>() - plain[0].item<double>()) > 1e-3);
  // An empty mask has no boundary: there the weights are all 1.
  CHECK(loss.bce[1].item<double>() == Exactly(plain[1].item<double>()));
}

TEST_CASE("the CamoXpert loss has the specification's values and adds up") {
  const LossWeights weights;
  SegmentationOutput output = Output(GoldenLogits());
  output.auxiliary = torch::tensor(0.25, torch::kDouble);
  const LossParts loss = CamoXpertLoss(output, GoldenMasks(), weights);
  CHECK(loss.bce.item<double>() == Exactly(1.1514379048));
  CHECK(loss.iou.item<double>() == Exactly(0.9075625381));
  CHECK(loss.edge.item<double>() == Exactly(3.9247709704));
  CHECK(loss.deep.item<double>() == 0);
  CHECK(loss.auxiliary.item<double>() == 0.25);
  CHECK(loss.total.item<double>() ==
        Exactly(2 * 1.1514379048 + 1.5 * 0.9075625381 + 3.9247709704 + 0.25));
}

TEST_CASE("side outputs are held against the mask resized to them, and averaged") {
  SegmentationOutput output = Output(GoldenLogits());
  output.deep = {torch::zeros({2, 1, 10, 12}, torch::kDouble),
                 torch::full({2, 1, 5, 6}, 2.0, torch::kDouble)};
  const LossParts loss = CamoXpertLoss(output, GoldenMasks(), LossWeights{});
  // At 1/8 an output pixel lies at rows 8y + 3.5, columns 8x + 3.5, between two mask pixels each way:
  // rows 11.5, 19.5 and 27.5 are inside, columns 19.5 and 27.5 too, and 11.5 is half inside.
  const double foreground = 3.0 * 2.5 / (2 * 5 * 6);
  const double second = std::log1p(std::exp(-2.0)) + 2.0 * (1 - foreground);
  CHECK(loss.deep.item<double>() == Exactly((std::log(2.0) + second) / 2));
  const LossParts without = CamoXpertLoss(Output(GoldenLogits()), GoldenMasks(), LossWeights{});
  CHECK(loss.total.item<double>() - without.total.item<double>() ==
        doctest::Approx(0.4 * loss.deep.item<double>()).epsilon(1e-9));
}

TEST_CASE("gradients stay finite at saturated logits, and still push a wrong one back") {
  torch::Tensor logits = torch::full({2, 1, 40, 48}, 1e4);
  logits[1].fill_(-1e4);
  logits.set_requires_grad(true);
  const torch::Tensor masks = GoldenMasks().to(torch::kFloat);
  for (const bool structure : {true, false}) {
    logits.mutable_grad().reset();
    const torch::Tensor total = structure
                                    ? StructureLoss(logits, masks).total
                                    : CamoXpertLoss(Output(logits), masks, LossWeights{}).total;
    CHECK(total.isfinite().item<bool>());
    total.backward();
    CHECK(logits.grad().isfinite().all().item<bool>());
    CHECK(logits.grad()[0][0][0][0].item<double>() > 0);
  }
}

TEST_CASE("losses run in float32 under autocast and for bfloat16 logits") {
  const torch::Tensor logits = GoldenLogits().to(torch::kBFloat16);
  const torch::Tensor masks = GoldenMasks().to(torch::kFloat);
  const double plain =
      CamoXpertLoss(Output(logits.to(torch::kFloat)), masks, LossWeights{}).total.item<double>();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const LossParts under_autocast = CamoXpertLoss(Output(logits), masks, LossWeights{});
  const StructureLossParts structure = StructureLoss(logits, masks);
  at::autocast::set_autocast_enabled(at::kCPU, false);
  CHECK((under_autocast.total.scalar_type() == torch::kFloat));
  CHECK((structure.total.scalar_type() == torch::kFloat));
  CHECK(under_autocast.total.item<double>() == plain);
}

TEST_CASE("logits and masks of different sizes are refused, with both sizes in the message") {
  CHECK_THROWS_WITH_AS(
      StructureLoss(torch::zeros({2, 1, 8, 8}), torch::zeros({2, 1, 8, 9})),
      "structure loss: logits [2, 1, 8, 8] on cpu and masks [2, 1, 8, 9] on cpu; both must be "
      "[B, 1, H, W], not empty, of one size, on one device",
      std::invalid_argument);
  CHECK_THROWS_AS(CamoXpertLoss(Output(torch::zeros({2, 2, 8, 8})), torch::zeros({2, 2, 8, 8}), {}),
                  std::invalid_argument);
}

}  // namespace
TEST_CASE("cross entropy is the formula, for class numbers and for shares, with smoothing") {
  const at::Tensor logits =
      at::sin(torch::arange(12, torch::kDouble) * 1.7).view({3, 4}).mul(3).requires_grad_();
  const at::Tensor classes = torch::tensor({2, 0, 3}, torch::kLong);
  const at::Tensor one_hot = at::one_hot(classes, 4).to(torch::kDouble);
  const at::Tensor shares = one_hot * 0.7 + one_hot.flip(0) * 0.3;
  for (const double smoothing : {0.0, 0.1, 1.0}) {
    CAPTURE(smoothing);
    const auto formula = [&](const at::Tensor& t) {
      const at::Tensor smooth = (1 - smoothing) * t + smoothing / 4;
      const at::Tensor p = logits.exp() / logits.exp().sum(1, true);
      return -(smooth * p.log()).sum(1).mean().item<double>();
    };
    CHECK(CrossEntropy(logits, classes, smoothing).item<double>() ==
          doctest::Approx(formula(one_hot)).epsilon(1e-12));
    CHECK(CrossEntropy(logits, shares, smoothing).item<double>() ==
          doctest::Approx(formula(shares)).epsilon(1e-12));
  }
}

TEST_CASE("cross entropy is float32 whatever autocast says, and its gradient finite at any logit") {
  const at::Tensor logits = torch::tensor({{1e4f, -1e4f, 0.0f}, {-1e4f, 1e4f, 0.0f}})
                                .to(torch::kBFloat16)
                                .requires_grad_();
  at::Tensor loss;
  {
    const Bf16Scope autocast(at::kCPU, true);
    loss = CrossEntropy(logits, torch::tensor({1, 1}, torch::kLong), 0.1);
  }
  CHECK((loss.scalar_type() == torch::kFloat));
  CHECK(std::isfinite(loss.item<float>()));
  loss.backward();
  CHECK(at::isfinite(logits.grad()).all().item<bool>());
}

TEST_CASE("cross entropy refuses shapes that don't match and a senseless smoothing") {
  const at::Tensor logits = torch::zeros({2, 3});
  const at::Tensor classes = torch::zeros({2}, torch::kLong);
  CHECK_THROWS_AS(CrossEntropy(logits, torch::zeros({3}, torch::kLong), 0), std::invalid_argument);
  CHECK_THROWS_AS(CrossEntropy(logits, torch::zeros({2}), 0), std::invalid_argument);
  CHECK_THROWS_AS(CrossEntropy(logits, torch::zeros({2, 4}), 0), std::invalid_argument);
  CHECK_THROWS_AS(CrossEntropy(torch::zeros({0, 3}), torch::zeros({0}, torch::kLong), 0),
                  std::invalid_argument);
  CHECK_THROWS_AS(CrossEntropy(logits, classes, 1.5), std::invalid_argument);
  CHECK_THROWS_AS(CrossEntropy(logits, classes, std::nan("")), std::invalid_argument);
}

}  // namespace flowtrain::model
