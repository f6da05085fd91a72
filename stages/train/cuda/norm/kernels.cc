#include "stages/train/cuda/norm/kernels.h"

#include <tuple>

#include "stages/train/cuda/jit/compiled_once.h"

namespace flowtrain::train::norm {

const Kernels& KernelsFor(NumberType type, int columns, int vector) {
  static auto& compiled = *new CompiledOnce<std::tuple<NumberType, int, int>, Kernels>;
  return compiled.Get({type, columns, vector}, [&](int gpu) {
    const Code code(kSource, CompileOptions(type, columns, vector), "layer norms");
    return Kernels{code.Kernel("NormForward"), code.Kernel("NormBackward"), code.Kernel("NormSum"), ProcessorsOf(gpu)};
  });
}

}  // namespace flowtrain::train::norm
