// Layer norm's numbers on a GPU against LibTorch's in double; where there is no GPU, these cases say so and
// end.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/layers/linear.h"
#include "tests/model/train_depthwise_gpu.h"

namespace flowtrain::model {
namespace {

using Tensors = std::vector<torch::Tensor>;

// x, weight, bias and out' -> out and the gradients of the first three.
template <class Function>
Tensors Run(const Tensors& given, const Function& function) {
  Tensors leaves;
  for (int i = 0; i < 3; ++i) leaves.push_back(given[i].detach().requires_grad_());
  const auto out = function(leaves[0], leaves[1], leaves[2]);
  Tensors results = torch::autograd::grad({out}, leaves, {given[3]});
  results.insert(results.begin(), out.detach());
  return results;
}

double Compare(const Tensors& given, bool gelu) {
  const auto got = Run(given, [&](const auto& x, const auto& w, const auto& b) { return Norm(x, w, b, gelu); });
  Tensors in_double;
  for (const auto& tensor : given) in_double.push_back(tensor.to(torch::kDouble));
  const auto expected = Run(in_double, [&](const auto& x, const auto& w, const auto& b) {
    const auto y = at::layer_norm(x, {x.size(-1)}, w, b, 1e-6);
    return gelu ? at::gelu(y) : y;
  });
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK((got[i].scalar_type() == given[0].scalar_type()));
    const auto difference = (got[i].to(torch::kDouble) - expected[i]).norm() / expected[i].norm();
    CHECK(std::isfinite(difference.item<double>()));
    worst = std::max(worst, difference.item<double>());
  }
  return worst;
}

Tensors Given(at::IntArrayRef sizes, torch::ScalarType type) {
  return {3 * test::Random(sizes, type) + 1, test::Random({sizes.back()}, type), test::Random({sizes.back()}, type),
          test::Random(sizes, type)};
}

void CompareAll(torch::ScalarType type, double allowed) {
  if (!test::HasOwnKernels()) return;
  torch::manual_seed(5);
  double worst = 0;
  for (const int64_t columns : {5, 20, 24, 37, 40, 72, 80, 146, 160, 288, 584, 1023, 1024, 1025}) {
    for (const int64_t rows : {1, 63, 4001}) {
      CAPTURE(columns);
      CAPTURE(rows);
      for (const bool gelu : {false, true}) worst = std::max(worst, Compare(Given({rows, columns}, type), gelu));
    }
  }
  worst = std::max(worst, Compare(Given({14, 88, 88, 80}, type), true));
  // Another address, another layout.
  Tensors given = Given({33, 16}, type);
  given[0] = test::Random({33 * 16 + 1}, type).narrow(0, 1, 33 * 16).view({33, 16});
  given[3] = test::Random({16, 33}, type).t();
  worst = std::max(worst, Compare(given, true));
  MESSAGE("largest relative difference: " << worst);
  CHECK(worst < allowed);
}

TEST_CASE("on a GPU layer norm and its gradients are LibTorch's in float") { CompareAll(torch::kFloat, 1e-5); }
TEST_CASE("on a GPU layer norm and its gradients are LibTorch's in half") { CompareAll(torch::kHalf, 1e-3); }
TEST_CASE("on a GPU layer norm and its gradients are LibTorch's in bf16") { CompareAll(torch::kBFloat16, 6e-3); }

TEST_CASE("on a GPU the same rows give the same gradients, to the bit") {
  if (!test::HasOwnKernels()) return;
  const auto given = Given({5000, 80}, torch::kBFloat16);
  const auto norm = [](const auto& x, const auto& w, const auto& b) { return Norm(x, w, b, true); };
  const auto first = Run(given, norm), second = Run(given, norm);
  for (size_t i = 0; i < first.size(); ++i) CHECK(at::equal(first[i], second[i]));
}

}  // namespace
}  // namespace flowtrain::model
