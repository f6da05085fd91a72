// What the tests of the depthwise convolution on a GPU share.
#pragma once

#include <dlfcn.h>
#include <torch/torch.h>

#include <array>
#include <filesystem>
#include <string>

#include "tests/model/doctest_torch.h"

namespace flowtrain::model::test {

// Opening it registers the kernels, and opens LibTorch's CUDA half, before LibTorch first looks for
// it.
inline void* const g_own_kernels = std::filesystem::exists("/dev/nvidiactl")
                                       ? dlopen("libflowtrain_train_cuda.so", RTLD_NOW | RTLD_LOCAL)
                                       : nullptr;

inline const char* const g_not_opened = g_own_kernels == nullptr ? dlerror() : nullptr;

inline bool HasOwnKernels() {
#ifdef FLOWTRAIN_HAS_CUDA_HALF
  // Null where there is no GPU: then nothing was opened.
  REQUIRE_MESSAGE(g_not_opened == nullptr, std::string(g_not_opened == nullptr ? "" : g_not_opened));
#endif
  const bool has = g_own_kernels != nullptr && torch::cuda::is_available();
  if (!has) MESSAGE("skipped: no GPU, or no libflowtrain_train_cuda.so");
  return has;
}

inline torch::Tensor Random(at::IntArrayRef sizes, torch::ScalarType type) {
  return torch::randn(sizes, torch::TensorOptions(torch::kCUDA).dtype(type));
}

inline torch::Tensor RandomImages(at::IntArrayRef sizes, torch::ScalarType type) {
  return Random(sizes, type).contiguous(at::MemoryFormat::ChannelsLast);
}

// in, weight, bias and out', and how out and the gradients of the first three come of them.
using Operands = std::array<torch::Tensor, 4>;
using Results = std::array<torch::Tensor, 4>;

template <class Convolution>
Results Run(const Operands& given, const Convolution& convolution) {
  torch::autograd::variable_list leaves;
  for (int i = 0; i < 3; ++i) leaves.push_back(given[i].detach().requires_grad_());
  const auto out = convolution(leaves[0], leaves[1], leaves[2]);
  const auto gradients = torch::autograd::grad({out}, leaves, {given[3]});
  return {out.detach(), gradients[0], gradients[1], gradients[2]};
}

inline Operands Given(at::IntArrayRef images, int64_t side, torch::ScalarType type) {
  return {RandomImages(images, type), Random({images[1], 1, side, side}, type),
          Random({images[1]}, type), RandomImages(images, type)};
}

}  // namespace flowtrain::model::test
