#include "model/layers/depthwise.h"

#include <torch/library.h>

#include <tuple>

#include "model/layers/own_kernel.h"
#include "model/layers/precision.h"

namespace flowtrain::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::Variable;
using torch::autograd::variable_list;

using MaybeTensor = std::optional<torch::Tensor>;
using WeightGradients = std::tuple<torch::Tensor, torch::Tensor>;  // of weight, of bias

// The operators' CPU kernels.
torch::Tensor Convolve(const torch::Tensor& x, const torch::Tensor& weight, const MaybeTensor& bias,
                       bool flipped) {
  const auto reach = weight.size(2) / 2;
  return at::conv2d(x, flipped ? weight.flip({2, 3}) : weight, bias, /*stride=*/1, reach,
                    /*dilation=*/1, /*groups=*/x.size(1));
}

WeightGradients WeightGradient(const torch::Tensor& gradient, const torch::Tensor& x,
                               int64_t side) {
  const auto channels = x.size(1);
  const auto sizes_alone = at::empty({channels, 1, side, side}, x.options());
  const auto gradients = at::convolution_backward(
      gradient, x, sizes_alone, at::IntArrayRef{channels}, {1, 1}, {side / 2, side / 2}, {1, 1},
      /*transposed=*/false, {0, 0}, channels, {false, true, true});
  return {std::get<1>(gradients), std::get<2>(gradients)};
}

auto Convolution() {
  static const auto found = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("flowtrain::depthwise_conv2d", "")
                                .typed<torch::Tensor(const torch::Tensor&, const torch::Tensor&,
                                                     const MaybeTensor&, bool)>();
  return found;
}

auto ConvolutionWeightGradient() {
  static const auto found =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("flowtrain::depthwise_conv2d_weight_gradient", "")
          .typed<WeightGradients(const torch::Tensor&, const torch::Tensor&, int64_t)>();
  return found;
}

class DepthwiseFunction : public Function<DepthwiseFunction> {
 public:
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& weight,
                          const Variable& bias, bool has_bias) {
    const RawOperators raw;
    const auto dense = x.contiguous(at::MemoryFormat::ChannelsLast);
    context->save_for_backward({dense, weight});
    context->saved_data["has_bias"] = has_bias;
    return Convolution().call(dense, weight, has_bias ? MaybeTensor(bias) : std::nullopt, false);
  }
  static variable_list backward(AutogradContext* context, const variable_list& given) {
    const RawOperators raw;
    const auto saved = context->get_saved_variables();
    const auto gradient = given[0].contiguous(at::MemoryFormat::ChannelsLast);
    const bool has_bias = context->saved_data["has_bias"].toBool();
    torch::Tensor of_x, of_weight, of_bias;
    // By out to by in: the same convolution, with the taps taken from the other end.
    if (context->needs_input_grad(0))
      of_x = Convolution().call(gradient, saved[1], std::nullopt, /*flipped=*/true);
    if (context->needs_input_grad(1) || context->needs_input_grad(2))
      std::tie(of_weight, of_bias) =
          ConvolutionWeightGradient().call(gradient, saved[0], saved[1].size(2));
    return {of_x, of_weight, has_bias ? of_bias : torch::Tensor(), {}};
  }
};

bool HasGpuKernel(const torch::Tensor& x, const torch::Tensor& weight, at::ScalarType type) {
  const auto side = weight.size(2);
  return OwnKernelTakes(Convolution(), x, type) && side >= 3 && side <= 9 && side % 2 == 1;
}

}  // namespace

torch::Tensor DepthwiseByOperator(const torch::Tensor& x, const torch::Tensor& weight,
                                  const torch::Tensor& bias) {
  const auto type = ComputeType(weight);
  const bool has_bias = bias.defined();
  // An undefined tensor can't be handed to a Function.
  return DepthwiseFunction::apply(x.to(type), weight.to(type),
                                  has_bias ? bias.to(type) : weight.to(type), has_bias);
}

torch::Tensor DepthwiseConv2d(const torch::Tensor& x, const torch::Tensor& weight,
                              const torch::Tensor& bias) {
  if (HasGpuKernel(x, weight, ComputeType(weight))) return DepthwiseByOperator(x, weight, bias);
  return at::conv2d(x, weight, bias, /*stride=*/1, /*padding=*/weight.size(2) / 2, /*dilation=*/1,
                    /*groups=*/weight.size(0));
}

}  // namespace flowtrain::model

TORCH_LIBRARY(flowtrain, library) {
  library.def("depthwise_conv2d(Tensor x, Tensor weight, Tensor? bias, bool flipped) -> Tensor");
  library.def(
      "depthwise_conv2d_weight_gradient(Tensor gradient, Tensor x, int side) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(flowtrain, CPU, library) {
  library.impl("depthwise_conv2d", &flowtrain::model::Convolve);
  library.impl("depthwise_conv2d_weight_gradient", &flowtrain::model::WeightGradient);
}
