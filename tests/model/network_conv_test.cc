// Convolutions on maps that are smaller than their kernels.
#include <torch/torch.h>

#include <utility>
#include <vector>

#include "model/layers/conv.h"
#include "tests/model/doctest_torch.h"

namespace flowtrain::model {
namespace {

// Output and gradients of `conv` in a type, as float; memory that was freed before holds large numbers.
std::vector<torch::Tensor> Computed(Conv conv, const torch::Tensor& x, at::ScalarType type) {
  Conv copy = SameConv(conv->weight.size(1), conv->weight.size(0), conv->weight.size(2));
  copy->to(type);
  {
    const torch::NoGradGuard no_grad;
    copy->weight.copy_(conv->weight);
    copy->bias.copy_(conv->bias);
  }
  for (const int64_t numbers : {1 << 8, 1 << 12, 1 << 16}) torch::full({numbers}, 1e30);
  const auto input = x.to(type).detach().requires_grad_();
  const torch::Tensor y = copy->forward(input);
  (y * torch::linspace(-1, 1, y.numel()).view(y.sizes()).to(type)).sum().backward();
  std::vector<torch::Tensor> computed;
  for (const auto& tensor : {y, input.grad(), copy->weight.grad(), copy->bias.grad()}) {
    computed.push_back(tensor.detach().to(torch::kFloat));
  }
  return computed;
}

}  // namespace

TEST_CASE("a kernel larger than the map gives the same in every type, gradients too") {
  torch::manual_seed(4);
  for (const auto& [height, width] : {std::pair<int64_t, int64_t>{1, 1}, {1, 2}, {2, 2}, {2, 3}, {2, 8}, {3, 3}, {4, 4}}) {
    for (const int64_t kernel : {3, 5, 7}) {
      for (const auto layout : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        CAPTURE(height);
        CAPTURE(width);
        CAPTURE(kernel);
        Conv conv = SameConv(168, 8, kernel);
        const auto x = torch::randn({3, 168, height, width}).contiguous(layout);
        const auto exact = Computed(conv, x, torch::kDouble);
        CHECK((exact[0].sizes() == at::IntArrayRef({3, 8, height, width})));
        const auto plain = at::conv2d(x, conv->weight, conv->bias, 1, kernel / 2).detach();
        CHECK(((exact[0] - plain).abs().max().item<double>() < 1e-5));
        for (const auto& [type, most] : {std::pair{at::kFloat, 1e-5}, std::pair{at::kBFloat16, 0.05}}) {
          const auto computed = Computed(conv, x, type);
          for (size_t i = 0; i < exact.size(); ++i) {
            CAPTURE(i);
            const double scale = exact[i].abs().max().item<double>();
            CHECK((computed[i] - exact[i]).abs().max().item<double>() <= most * scale);
          }
        }
      }
    }
  }
}

}  // namespace flowtrain::model
