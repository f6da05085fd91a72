// What operators of kernels that are compiled at run time share. On LibTorch's current stream.
#pragma once

#include <ATen/ATen.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "stages/train/cuda/events.h"
#include "stages/train/cuda/jit/number_type.h"
#include "stages/train/cuda/jit/vector.h"

namespace flowtrain::train {

inline NumberType TypeOf(const at::Tensor& tensor) {
  const at::ScalarType type = tensor.scalar_type();
  TORCH_CHECK(type == at::kFloat || type == at::kHalf || type == at::kBFloat16,
              "flowtrain's kernels take no ", type);
  return type == at::kFloat  ? NumberType::kFloat
         : type == at::kHalf ? NumberType::kHalf
                             : NumberType::kBf16;
}

inline uintptr_t Address(const at::Tensor& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.const_data_ptr());
}

// On the current stream, so that it is recorded where that is being captured.
template <class... Arguments>
void Launch(cudaKernel_t kernel, dim3 grid, int threads, const char* what, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  CheckCuda(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, dim3(static_cast<unsigned>(threads)),
                             pointers, 0, c10::cuda::getCurrentCUDAStream().stream()),
            what);
}

}  // namespace flowtrain::train
