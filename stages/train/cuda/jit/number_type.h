// The types of number that kernels are compiled for. Free of CUDA and LibTorch.
#pragma once

#include <string>

namespace flowtrain::train {

enum class NumberType { kFloat, kHalf, kBf16 };

// What number.cu is told.
inline std::string DefineOf(NumberType type) {
  const char* const name = type == NumberType::kFloat ? "FLOAT" : type == NumberType::kHalf ? "HALF" : "BF16";
  return std::string("-DFLOWTRAIN_") + name;
}

}  // namespace flowtrain::train
