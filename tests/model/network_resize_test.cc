// Resizing by products of matrices against ATen's kernels.
#include <torch/torch.h>

#include <array>

#include "model/layers/resize.h"
#include "tests/model/doctest_torch.h"

namespace flowtrain::model {
namespace {

struct Resized {
  torch::Tensor y, gradient;  // in float64
};

template <class Resize>
Resized Run(const torch::Tensor& x, const torch::Tensor& gradient, const Resize& resize) {
  const auto leaf = x.detach().requires_grad_();
  const torch::Tensor y = resize(leaf);
  y.backward(gradient.to(y.scalar_type()));
  return {y.detach().to(torch::kDouble), leaf.grad().to(torch::kDouble)};
}

double Largest(const torch::Tensor& a, const torch::Tensor& b) { return (a - b).abs().max().item<double>(); }

TEST_CASE("an image resized by products is the bilinear one, and so is its gradient") {
  torch::manual_seed(2);
  for (const auto& [from_h, from_w, h, w] :
       {std::array<int64_t, 4>{11, 11, 22, 22}, {5, 8, 10, 16}, {7, 3, 9, 7}, {1, 1, 2, 3}, {8, 6, 5, 6}, {4, 4, 4, 9}}) {
    for (const auto layout : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      CAPTURE(h);
      CAPTURE(w);
      const auto x = torch::randn({2, 12, from_h, from_w}, torch::kDouble).contiguous(layout);
      const auto gradient = torch::randn({2, 12, h, w}, torch::kDouble).contiguous(layout);
      const auto by_products = [&](const torch::Tensor& image) { return ResizeByProducts(image, h, w); };
      const Resized due = Run(x, gradient, [&](const torch::Tensor& image) {
        return at::upsample_bilinear2d(image, {h, w}, /*align_corners=*/false);
      });
      const Resized exact = Run(x, gradient, by_products);
      CHECK(Largest(exact.y, due.y) < 1e-13);
      CHECK(Largest(exact.gradient, due.gradient) < 1e-12);
      CHECK(ResizeByProducts(x, h, w).is_contiguous(at::MemoryFormat::ChannelsLast));
      const Resized low = Run(x.to(torch::kBFloat16), gradient, by_products);
      // Three roundings to 8 bits, of sums of at most 4, and 6 with the gradients of a pixel.
      CHECK(Largest(low.y, due.y) < 3 * 4.0 / 256);
      CHECK(Largest(low.gradient, due.gradient) < 6 * 6.0 / 256);
    }
  }
}

TEST_CASE("an image that has the size already is resized by nobody") {
  const auto x = torch::randn({1, 3, 6, 6});
  CHECK(ResizeTo(x, 6, 6).is_same(x));
  CHECK(ResizeTo(x, 12, 12).size(3) == 12);
}

}  // namespace
}  // namespace flowtrain::model
