// The kernels' text, and what it is compiled with. Free of CUDA and LibTorch.
#pragma once

#include <string>
#include <vector>

#include "stages/train/cuda/jit/number_type.h"

namespace flowtrain::train::depthwise {

// shape.h, jit/number.cu and the .cu files of this folder.
extern const char* const kSource;

// side: 3, 5, 7 or 9. vector: see VectorFor (jit/vector.h).
inline std::vector<std::string> CompileOptions(NumberType type, int side, int vector) {
  return {"--std=c++17", DefineOf(type), "-DFLOWTRAIN_SIDE=" + std::to_string(side),
          "-DFLOWTRAIN_VECTOR=" + std::to_string(vector)};
}

}  // namespace flowtrain::train::depthwise
