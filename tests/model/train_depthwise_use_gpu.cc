// How the depthwise convolution serves a trainer on a GPU; where there is no GPU, these cases say
// so and end.
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include "model/layers/depthwise.h"
#include "stages/train/cuda_link.h"
#include "tests/model/train_depthwise_gpu.h"

namespace flowtrain::model {
namespace {

using test::g_own_kernels;
using test::Given;
using test::HasOwnKernels;
using test::Operands;
using test::RandomImages;
using test::Results;
using test::Run;

TEST_CASE(
    "on a GPU a depthwise convolution is flowtrain's, and its weight's gradient always the same") {
  if (!HasOwnKernels()) return;
  const Operands given = Given({5, 80, 44, 44}, 5, torch::kBFloat16);
  const auto out = DepthwiseConv2d(given[0], given[1].detach().requires_grad_(), given[2]);
  CHECK(out.grad_fn()->name().find("DepthwiseFunction") != std::string::npos);
  CHECK(out.is_contiguous(at::MemoryFormat::ChannelsLast));
  const Results first = Run(given, DepthwiseConv2d);
  for (int i = 0; i < 5; ++i) {
    const Results again = Run(given, DepthwiseConv2d);
    CHECK(at::equal(first[2], again[2]));
    CHECK(at::equal(first[3], again[3]));
  }
}

TEST_CASE("on a GPU a recorded depthwise convolution convolves what is there when it is replayed") {
  if (!HasOwnKernels()) return;
  auto* factory =
      reinterpret_cast<train::CudaLinkFactory>(dlsym(g_own_kernels, train::kCudaLinkFactory));
  REQUIRE((factory != nullptr));
  const Operands given = Given({3, 80, 22, 22}, 3, torch::kBFloat16);
  Run(given, DepthwiseConv2d);  // compiles
  const auto recorder = factory()->MakeRecorder(0);
  Results results;
  const auto recording = recorder->Record([&] { results = Run(given, DepthwiseConv2d); });
  given[0].copy_(RandomImages(given[0].sizes(), torch::kBFloat16));
  recording->Replay();
  const Results expected = Run(given, DepthwiseConv2d);
  for (size_t i = 0; i < expected.size(); ++i) CHECK(at::equal(results[i], expected[i]));
}

double Milliseconds(const std::function<void()>& work) {
  torch::cuda::synchronize();
  const auto begin = std::chrono::steady_clock::now();
  work();
  torch::cuda::synchronize();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

struct Shape {
  int64_t channels, pixels, side;
};

// The least of several: the GPU may be shared.
double Least(const std::function<void()>& work) {
  double least = Milliseconds(work);
  for (int i = 0; i < 10; ++i) least = std::min(least, Milliseconds(work));
  return least;
}

TEST_CASE("on a GPU a depthwise convolution of a new number of images is as fast as the next") {
  if (!HasOwnKernels()) return;
  // Two of the experts' and four of edgenext_base's, at 352 x 352 pixels.
  for (const Shape shape : {Shape{80, 88, 5}, {584, 11, 3}, {80, 88, 3}, {160, 44, 5}, {288, 22, 7}, {584, 11, 9}}) {
    const Operands most = Given({32, shape.channels, shape.pixels, shape.pixels}, shape.side, torch::kBFloat16);
    const auto part = [&](int64_t images) {
      return Operands{most[0].narrow(0, 0, images), most[1], most[2], most[3].narrow(0, 0, images)};
    };
    const auto own = [&] { Run(most, DepthwiseConv2d); };
    own();  // compiles
    double slowest = 0;
    for (int64_t images = 1; images < 32; ++images)
      slowest = std::max(slowest, Milliseconds([&] { Run(part(images), DepthwiseConv2d); }));
    const auto of_torch = [&] {
      Run(most, [](const auto& x, const auto& weight, const auto& bias) {
        return at::conv2d(x, weight, bias, 1, weight.size(2) / 2, 1, x.size(1));
      });
    };
    const double planned = Milliseconds(of_torch);
    MESSAGE("k = " << shape.side << ", " << shape.channels << " channels, " << shape.pixels
                   << " px: the slowest of 31 new sizes takes " << slowest << " ms, 32 images " << Least(own)
                   << " ms; cuDNN the first time " << planned << " ms, then " << Least(of_torch) << " ms");
    CHECK(slowest < 50);
  }
}

}  // namespace
}  // namespace flowtrain::model
