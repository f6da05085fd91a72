// Attention against its formula, and the sdta encoder.
#include <torch/torch.h>

#include "model/layers/attention.h"
#include "model/stage_encoder.h"
#include "tests/model/doctest_torch.h"
#include "tests/model/network_fill.h"

namespace flowtrain::model {
namespace {

// The formula, pair of tokens by pair of tokens, in double: no (phi(k)^T v) rearrangement.
torch::Tensor LinearByFormula(const torch::Tensor& q, const torch::Tensor& k,
                              const torch::Tensor& v) {
  const auto phi = [](const torch::Tensor& x) { return at::where(x >= 0, x + 1, x.exp()); };
  const auto weights = at::matmul(phi(q), phi(k).transpose(-2, -1));  // [B, h, N, N]
  return at::matmul(weights, v) / (weights.sum(-1, true) + 1e-6);
}

}  // namespace

TEST_CASE("linear attention is its formula, in float and from bfloat16") {
  torch::manual_seed(1);
  const auto q = 3 * torch::randn({2, 8, 121, 5}, torch::kDouble);
  const auto k = 3 * torch::randn({2, 8, 121, 5}, torch::kDouble);
  const auto v = torch::randn({2, 8, 121, 5}, torch::kDouble);
  const auto expected = LinearByFormula(q, k, v);
  CHECK((LinearAttention(q, k, v) - expected).abs().max().item<double>() < 1e-12);
  const auto in_float =
      LinearAttention(q.to(torch::kFloat), k.to(torch::kFloat), v.to(torch::kFloat));
  CHECK((in_float.scalar_type() == torch::kFloat));
  CHECK((in_float - expected).abs().max().item<double>() < 1e-5);

  const auto half = torch::kBFloat16;
  const auto from_half = LinearAttention(q.to(half), k.to(half), v.to(half));
  const auto rounded = LinearByFormula(q.to(half).to(torch::kDouble), k.to(half).to(torch::kDouble),
                                       v.to(half).to(torch::kDouble));
  CHECK((from_half.scalar_type() == torch::kFloat));
  CHECK((from_half - rounded).abs().max().item<double>() < 1e-5);
}

TEST_CASE("linear attention's size does not grow with the number of tokens") {
  torch::manual_seed(1);
  const auto rms = [](int64_t tokens) {
    const auto qkv = torch::randn({3, 1, 8, tokens, 10});
    return LinearAttention(qkv[0], qkv[1], qkv[2] + 1).square().mean().sqrt().item<double>();
  };
  CHECK(rms(7744) == doctest::Approx(rms(121)).epsilon(0.2));
}

TEST_CASE("linear attention's gradient is finite for large inputs") {
  const auto q = torch::full({1, 1, 4, 2}, 200.0f).requires_grad_();
  LinearAttention(q, -q.detach(), torch::ones({1, 1, 4, 2})).sum().backward();
  CHECK(at::isfinite(q.grad()).all().item<bool>());
}

TEST_CASE("the attention module splits its channels into qkv, heads, features") {
  torch::NoGradGuard no_grad;
  for (const auto kind : {AttentionKind::kLinear, AttentionKind::kStandard}) {
    Attention attention(16, kind);
    FillExpert(attention);
    const auto x = Wave({2, 16, 3, 5}, 0.013);
    const auto parameters = attention.named_parameters();
    const auto heads =
        at::conv2d(x, parameters["qkv.weight"]).view({2, 3, 8, 2, 15}).transpose(3, 4);
    const auto q = heads.select(1, 0), k = heads.select(1, 1), v = heads.select(1, 2);
    const auto mixed =
        kind == AttentionKind::kLinear
            ? LinearByFormula(q, k, v)
            : at::matmul(at::softmax(at::matmul(q, k.transpose(-2, -1)) / std::sqrt(2.0), -1), v);
    const auto expected = at::conv2d(mixed.transpose(2, 3).reshape({2, 16, 3, 5}),
                                     parameters["proj.weight"], parameters["proj.bias"]);
    CHECK((attention.Forward(x) - expected).abs().max().item<double>() < 1e-9);
  }
}

TEST_CASE("heads are eight, or the largest number below that divides the channels") {
  CHECK(AttentionHeads(80) == 8);
  CHECK(AttentionHeads(584) == 8);
  CHECK(AttentionHeads(100) == 5);
}

TEST_CASE("the sdta encoder starts as the gate block and trains its gamma") {
  torch::manual_seed(2);
  StageEncoder sdta(24, AttentionKind::kLinear);
  StageEncoder gate(24, std::nullopt);
  {
    torch::NoGradGuard no_grad;
    auto from = sdta.named_parameters();
    for (auto& parameter : gate.named_parameters()) parameter.value().copy_(from[parameter.key()]);
  }
  const auto x = torch::randn({2, 24, 12, 9});
  const auto y = sdta.Forward(x);
  const auto difference = (y - gate.Forward(x)).abs().max().item<double>();
  CHECK(difference > 0);
  CHECK(difference < 1e-4);
  y.square().sum().backward();
  CHECK(sdta.named_parameters()["gamma"].grad().abs().max().item<double>() > 0);
}

}  // namespace flowtrain::model
