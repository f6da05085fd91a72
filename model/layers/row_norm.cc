#include "model/layers/row_norm.h"

#include <torch/library.h>

#include <tuple>

#include "model/layers/own_kernel.h"

namespace flowtrain::model {
namespace {

constexpr double kEps = 1e-6;

using Three = std::tuple<torch::Tensor, torch::Tensor, torch::Tensor>;
using T = const torch::Tensor&;

auto Forward() {
  static const auto found =
      c10::Dispatcher::singleton().findSchemaOrThrow("flowtrain::row_norm", "").typed<Three(T, T, T, double, bool)>();
  return found;
}

auto Backward() {
  static const auto found = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("flowtrain::row_norm_backward", "")
                                .typed<Three(T, T, T, T, T, T, bool)>();
  return found;
}

bool HasGpuKernel(T x) { return OwnKernelTakes(Forward(), x, x.scalar_type()) && x.size(1) <= 1024; }

}  // namespace

NormedRows NormRows(T x, T weight, T bias, bool gelu) {
  if (HasGpuKernel(x)) {
    auto [out, mean, scale] = Forward().call(x, weight, bias, kEps, gelu);
    return {out, mean, scale, {}};
  }
  auto [normed, mean, scale] = at::native_layer_norm(x, {x.size(1)}, weight, bias, kEps);
  return {gelu ? at::gelu(normed) : normed, mean, scale, gelu ? normed : torch::Tensor()};
}

NormGradients NormRowsBackward(T gradient, T x, T weight, T bias, const NormedRows& normed, bool gelu) {
  if (HasGpuKernel(x)) {
    auto [of_x, of_weight, of_bias] =
        Backward().call(gradient, x, weight, bias, normed.mean, normed.scale, gelu);
    return {of_x, of_weight, of_bias};
  }
  const auto behind_norm = gelu ? at::gelu_backward(gradient, normed.normed) : gradient;
  auto [of_x, of_weight, of_bias] = at::native_layer_norm_backward(
      behind_norm, x, {x.size(1)}, normed.mean, normed.scale, weight, bias, {true, true, true});
  return {of_x, of_weight, of_bias};
}

}  // namespace flowtrain::model

TORCH_LIBRARY_FRAGMENT(flowtrain, library) {
  library.def("row_norm(Tensor x, Tensor weight, Tensor bias, float eps, bool gelu) -> (Tensor, Tensor, Tensor)");
  library.def(
      "row_norm_backward(Tensor gradient, Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor scale, bool gelu) "
      "-> (Tensor, Tensor, Tensor)");
}
