// The kernels' text, and what it is compiled with. Free of CUDA and LibTorch.
#pragma once

#include <string>
#include <vector>

namespace flowtrain::train::depthwise {

enum class NumberType { kFloat, kHalf, kBf16 };

// shape.h and the .cu files of this folder.
extern const char* const kSource;

// side: 3, 5, 7 or 9. vector: see VectorFor.
std::vector<std::string> CompileOptions(NumberType type, int side, int vector);

}  // namespace flowtrain::train::depthwise
