#include "stages/train/cuda/depthwise/kernels.h"

#include <tuple>

#include "stages/train/cuda/jit/compiled_once.h"

namespace flowtrain::train::depthwise {

const Kernels& KernelsFor(NumberType type, int side, int vector) {
  static auto& compiled = *new CompiledOnce<std::tuple<NumberType, int, int>, Kernels>;
  return compiled.Get({type, side, vector}, [&](int gpu) {
    const Code code(kSource, CompileOptions(type, side, vector), "depthwise convolutions");
    return Kernels{code.Kernel("DepthwiseForward"), code.Kernel("DepthwiseWeightPartials"),
                   code.Kernel("DepthwiseWeightSum"), ProcessorsOf(gpu)};
  });
}

}  // namespace flowtrain::train::depthwise
