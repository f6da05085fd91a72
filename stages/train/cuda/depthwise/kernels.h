// The kernels on a GPU, compiled when they are first asked for, once a type, k, vector and GPU:
// 0.4 s for k = 3 and 5, up to 1.3 s for 9. Kept for the life of the process. Any thread.
#pragma once

#include <cuda_runtime_api.h>

#include "stages/train/cuda/depthwise/source.h"

namespace flowtrain::train::depthwise {

struct Kernels {
  cudaKernel_t forward, weight_partials, weight_sum;
  int processors;  // the GPU's
};

// For the current device. Throws Error where libnvrtc is missing. Where they are not compiled yet,
// the current stream must not be capturing: a capture allows no loading of code.
const Kernels& KernelsFor(NumberType type, int side, int vector);

}  // namespace flowtrain::train::depthwise
