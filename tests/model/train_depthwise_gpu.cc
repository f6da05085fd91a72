// The depthwise convolution's numbers on a GPU against LibTorch's in double; where there is no GPU,
// these cases say so and end.
#include "tests/model/train_depthwise_gpu.h"

#include <torch/torch.h>

#include <array>
#include <cmath>

#include "model/layers/depthwise.h"

namespace flowtrain::model {
namespace {

using test::Given;
using test::HasOwnKernels;
using test::Operands;
using test::Random;
using test::Results;
using test::Run;

// In double LibTorch convolves by kernels of its own.
Results InDouble(Operands given, bool absolute) {
  for (auto& operand : given) {
    operand = operand.to(torch::kDouble).contiguous();
    if (absolute) operand = operand.abs();
  }
  return Run(given, [](const auto& x, const auto& weight, const auto& bias) {
    return at::conv2d(x, weight, bias, 1, weight.size(2) / 2, 1, x.size(1));
  });
}

// The largest error as a share of what rounding allows: half a unit in the last place of the
// result, 2^-24 of the products' absolute sum for each of the at most 1024 additions that a term
// goes through (in a thread, over a block's rows, over blocks), and half's smallest number.
double Share(const torch::Tensor& got, const torch::Tensor& expected,
             const torch::Tensor& absolute) {
  const auto type = got.scalar_type();
  const double unit = std::ldexp(1.0, type == torch::kBFloat16 ? -8
                                      : type == torch::kHalf   ? -11
                                                               : -24);
  const auto allowed =
      unit * expected.abs() + std::ldexp(1.0, -14) * absolute + std::ldexp(1.0, -24);
  return ((got.to(torch::kDouble) - expected).abs() / allowed).max().item<double>();
}

void Compare(const Operands& given) {
  CAPTURE(given[0].sizes());
  CAPTURE(given[1].size(2));
  CAPTURE(given[0].scalar_type());
  const Results got = Run(given, DepthwiseConv2d);
  const Results expected = InDouble(given, false), absolute = InDouble(given, true);
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);  // out, then the gradients of in, weight, bias
    CHECK((got[i].scalar_type() == given[0].scalar_type()));
    CHECK(Share(got[i], expected[i], absolute[i]) <= 1);
  }
}

void CompareAll(torch::ScalarType type) {
  if (!HasOwnKernels()) return;
  torch::manual_seed(5);
  for (const int64_t side : {3, 5, 7, 9})
    for (const std::array<int64_t, 4> images : {std::array<int64_t, 4>{1, 20, 11, 11},
                                                {5, 20, 88, 88},
                                                {1, 80, 88, 88},
                                                {32, 80, 11, 11},
                                                {5, 146, 7, 13},
                                                {1, 146, 88, 88},
                                                {1, 584, 11, 11},
                                                {32, 584, 7, 13},
                                                {3, 5, 4, 2}})
      Compare(Given(images, side, type));
}

TEST_CASE("on a GPU depthwise convolution and its gradients are at::conv2d's in float") {
  CompareAll(torch::kFloat);
}
TEST_CASE("on a GPU depthwise convolution and its gradients are at::conv2d's in half") {
  CompareAll(torch::kHalf);
}
TEST_CASE("on a GPU depthwise convolution and its gradients are at::conv2d's in bf16") {
  CompareAll(torch::kBFloat16);
}

TEST_CASE("on a GPU the largest batch of an expert is convolved without error") {
  if (!HasOwnKernels()) return;
  Compare(Given({32, 80, 88, 88}, 5, torch::kBFloat16));
}

TEST_CASE("on a GPU depthwise convolution takes any layout and any address") {
  if (!HasOwnKernels()) return;
  Operands given = Given({2, 16, 9, 8}, 5, torch::kBFloat16);
  Operands planes = given;
  planes[0] = given[0].contiguous();
  planes[3] = given[3].contiguous();
  Compare(planes);
  const auto shifted =
      Random({1 + given[0].numel()}, torch::kBFloat16).narrow(0, 1, given[0].numel());
  given[0] = shifted.view({2, 9, 8, 16}).permute({0, 3, 1, 2});
  Compare(given);
}

}  // namespace
}  // namespace flowtrain::model
