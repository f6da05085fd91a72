#include "stages/train/cuda/norm/kernels.h"

#include <map>
#include <mutex>
#include <tuple>

#include "stages/train/cuda/jit/code.h"

namespace flowtrain::train::norm {
namespace {

Kernels Compile(NumberType type, int columns, int vector, int gpu) {
  const Code code(kSource, CompileOptions(type, columns, vector), "layer norms");
  return {code.Kernel("NormForward"), code.Kernel("NormBackward"), code.Kernel("NormSum"), ProcessorsOf(gpu)};
}

}  // namespace

const Kernels& KernelsFor(NumberType type, int columns, int vector) {
  static std::mutex mutex;  // protects compiled
  static auto& compiled = *new std::map<std::tuple<NumberType, int, int>, Kernels>;
  const int gpu = CurrentGpu();
  const std::lock_guard lock(mutex);
  const auto key = std::make_tuple(type, columns, gpu);
  const auto found = compiled.find(key);
  if (found != compiled.end()) return found->second;
  return compiled.emplace(key, Compile(type, columns, vector, gpu)).first->second;
}

}  // namespace flowtrain::train::norm
