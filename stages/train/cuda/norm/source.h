// The kernels' text, and what it is compiled with. Free of CUDA and LibTorch.
#pragma once

#include <string>
#include <vector>

#include "stages/train/cuda/jit/number_type.h"

namespace flowtrain::train::norm {

// shape.h, jit/number.cu and the .cu files of this folder.
extern const char* const kSource;

// vector: of VectorFor (jit/vector.h).
inline std::vector<std::string> CompileOptions(NumberType type, int columns, int vector) {
  // shape.h has a function of both compilers.
  return {"--std=c++17", "--device-as-default-execution-space", DefineOf(type),
          "-DFLOWTRAIN_COLUMNS=" + std::to_string(columns), "-DFLOWTRAIN_VECTOR=" + std::to_string(vector)};
}

}  // namespace flowtrain::train::norm
