// The kernels on a GPU, compiled when they are first asked for, once a type, number of columns and GPU. Kept
// for the life of the process. Any thread.
#pragma once

#include <cuda_runtime_api.h>

#include "stages/train/cuda/norm/source.h"

namespace flowtrain::train::norm {

struct Kernels {
  cudaKernel_t forward, backward, sum;
  int processors;  // the GPU's
};

// For the current device. Throws as Code does.
const Kernels& KernelsFor(NumberType type, int columns, int vector);

}  // namespace flowtrain::train::norm
