// The depthwise convolution without plans: its operators on a CPU, and who takes its place.
#include <torch/torch.h>

#include "model/layers/conv.h"
#include "model/layers/depthwise.h"
#include "model/layers/autocast_scope.h"
#include "tests/model/doctest_torch.h"

namespace flowtrain::model {
namespace {

double Difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

torch::Tensor Leaf(at::IntArrayRef sizes) {
  return torch::randn(sizes, torch::kDouble).requires_grad_();
}

}  // namespace

TEST_CASE("the depthwise operators and their gradients are at::conv2d's") {
  torch::manual_seed(3);
  for (const int64_t side : {3, 5, 7, 9}) {
    for (const bool has_bias : {true, false}) {
      const auto x = Leaf({2, 6, 5, 11}), weight = Leaf({6, 1, side, side});
      const auto bias = has_bias ? Leaf({6}) : torch::Tensor();
      const auto y = DepthwiseByOperator(x, weight, bias);
      const auto expected = at::conv2d(x, weight, bias, 1, side / 2, 1, 6);
      CHECK(Difference(y, expected) < 1e-12);  // double, 82 terms of the order of 1
      torch::autograd::variable_list inputs = {x, weight};
      if (has_bias) inputs.push_back(bias);
      const auto given = torch::randn_like(y);
      const auto gradients = torch::autograd::grad({y}, inputs, {given});
      const auto wanted = torch::autograd::grad({expected}, inputs, {given});
      for (size_t i = 0; i < inputs.size(); ++i) {
        CAPTURE(i);
        CHECK(gradients[i].sizes() == inputs[i].sizes());
        CHECK(Difference(gradients[i], wanted[i]) < 1e-11);  // 110 terms
      }
    }
  }
}

TEST_CASE("fixed depthwise kernels get no gradient, and pass one on") {
  const auto x = Leaf({1, 3, 4, 4});
  const auto weight = torch::randn({1, 1, 3, 3}, torch::kDouble).expand({3, 1, 3, 3});
  const auto y = DepthwiseByOperator(x, weight, {});
  y.sum().backward();
  CHECK(Difference(x.grad(), at::conv2d(torch::ones_like(y), weight.flip({2, 3}), {}, 1, 1, 1, 3)) <
        1e-12);
  CHECK_FALSE(weight.grad().defined());
}

TEST_CASE("a depthwise layer has a Conv2d's keys, whoever convolves, and its numbers on a CPU") {
  torch::manual_seed(4);
  auto own = DepthwiseConv(6, 5);
  auto torchs = DepthwiseConv(6, 5, DepthwiseBy::kLibTorch);
  auto parameters = own->named_parameters();
  REQUIRE(parameters.size() == 2);
  CHECK(parameters["weight"].sizes() == at::IntArrayRef({6, 1, 5, 5}));
  CHECK(parameters["bias"].sizes() == at::IntArrayRef({6}));
  {
    const torch::NoGradGuard no_grad;
    for (auto& parameter : torchs->named_parameters())
      parameter.value().copy_(parameters[parameter.key()]);
  }
  const auto x = torch::randn({2, 6, 8, 7});
  CHECK(at::equal(own->forward(x), torchs->forward(x)));
}

TEST_CASE("the depthwise operators compute in autocast's type") {
  const Bf16Scope autocast(at::kCPU, true);
  const auto weight = torch::randn({4, 1, 3, 3}), x = torch::randn({1, 4, 6, 6});
  const auto y = DepthwiseByOperator(x, weight, {});
  CHECK((y.scalar_type() == torch::kBFloat16));
  CHECK(
      (DepthwiseByOperator(x, weight.to(torch::kBFloat16), {}).scalar_type() == torch::kBFloat16));
  CHECK((at::conv2d(x, weight, {}, 1, 1, 1, 4).scalar_type() == torch::kBFloat16));
}

}  // namespace flowtrain::model
