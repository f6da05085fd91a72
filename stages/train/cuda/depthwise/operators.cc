// The operators that model/layers/depthwise.cc declares, for tensors on a GPU. Registered when this
// library is opened.
#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <tuple>

#include "stages/train/cuda/depthwise/kernels.h"
#include "stages/train/cuda/depthwise/plan.h"
#include "stages/train/cuda/jit/launch.h"

namespace flowtrain::train::depthwise {
namespace {

at::Tensor ChannelsLast(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 4 && x.numel() > 0, "an image batch is expected, not ", x.sizes());
  return x.contiguous(at::MemoryFormat::ChannelsLast);
}

int Vector(const at::Tensor& a, const at::Tensor& b) {
  return VectorFor(a.size(1), static_cast<int64_t>(a.element_size()), Address(a) | Address(b));
}

Plan PlanOf(const at::Tensor& x, int vector, int lines, int processors) {
  return PlanFor(x.size(0), x.size(2), x.size(3), x.size(1), vector, lines, processors);
}

template <class... Arguments>
void LaunchConvolution(cudaKernel_t kernel, dim3 grid, Arguments... arguments) {
  Launch(kernel, grid, kThreads, "launching a depthwise convolution", arguments...);
}

at::Tensor Convolve(const at::Tensor& x, const at::Tensor& weight,
                    const std::optional<at::Tensor>& bias, bool flipped) {
  const c10::cuda::CUDAGuard guard(x.device());
  TORCH_CHECK(weight.scalar_type() == x.scalar_type(), "weight is ", weight.scalar_type(), ", x ",
              x.scalar_type());
  const at::Tensor in = ChannelsLast(x), taps = weight.contiguous();
  const at::Tensor start = bias ? bias->contiguous() : at::Tensor();
  at::Tensor out = at::empty(in.sizes(), in.options(), at::MemoryFormat::ChannelsLast);
  const int vector = Vector(in, out);
  const Kernels& kernels = KernelsFor(TypeOf(in), static_cast<int>(taps.size(2)), vector);
  const Plan plan = PlanOf(in, vector, /*lines=*/1, kernels.processors);
  LaunchConvolution(
      kernels.forward,
      dim3(static_cast<unsigned>(plan.pixel_blocks), static_cast<unsigned>(plan.channel_blocks)),
      in.const_data_ptr(), taps.const_data_ptr(), bias ? start.const_data_ptr() : nullptr,
      static_cast<int>(flipped), out.mutable_data_ptr(), plan.shape);
  return out;
}

std::tuple<at::Tensor, at::Tensor> WeightGradient(const at::Tensor& gradient, const at::Tensor& x,
                                                  int64_t side) {
  const c10::cuda::CUDAGuard guard(x.device());
  const at::Tensor given = ChannelsLast(gradient), in = ChannelsLast(x);
  const int vector = Vector(given, in), lines = static_cast<int>(side);
  const Kernels& kernels = KernelsFor(TypeOf(in), lines, vector);
  const Plan plan = PlanOf(in, vector, lines, kernels.processors);
  const int64_t channels = in.size(1);
  const at::Tensor partials =
      at::empty({plan.pixel_blocks, side * side + 1, channels}, in.options().dtype(at::kFloat));
  at::Tensor of_weight = at::empty({channels, 1, side, side}, in.options());
  at::Tensor of_bias = at::empty({channels}, in.options());
  const auto pixel_blocks = static_cast<unsigned>(plan.pixel_blocks);
  LaunchConvolution(
      kernels.weight_partials,
      dim3(pixel_blocks, static_cast<unsigned>(plan.channel_blocks), static_cast<unsigned>(side)),
      given.const_data_ptr(), in.const_data_ptr(), partials.mutable_data_ptr(), plan.shape);
  LaunchConvolution(
      kernels.weight_sum,
      dim3(static_cast<unsigned>((channels + 31) / 32), static_cast<unsigned>(side * side + 1)),
      partials.const_data_ptr(), plan.pixel_blocks, plan.shape.channels,
      of_weight.mutable_data_ptr(), of_bias.mutable_data_ptr());
  return {of_weight, of_bias};
}

}  // namespace
}  // namespace flowtrain::train::depthwise

TORCH_LIBRARY_IMPL(flowtrain, CUDA, library) {
  library.impl("depthwise_conv2d", &flowtrain::train::depthwise::Convolve);
  library.impl("depthwise_conv2d_weight_gradient", &flowtrain::train::depthwise::WeightGradient);
}
