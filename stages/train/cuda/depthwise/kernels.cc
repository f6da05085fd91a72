#include "stages/train/cuda/depthwise/kernels.h"

#include <map>
#include <mutex>
#include <tuple>

#include "stages/train/cuda/jit/code.h"

namespace flowtrain::train::depthwise {
namespace {

Kernels Compile(NumberType type, int side, int vector, int gpu) {
  const Code code(kSource, CompileOptions(type, side, vector), "depthwise convolutions");
  return {code.Kernel("DepthwiseForward"), code.Kernel("DepthwiseWeightPartials"),
          code.Kernel("DepthwiseWeightSum"), ProcessorsOf(gpu)};
}

}  // namespace

const Kernels& KernelsFor(NumberType type, int side, int vector) {
  static std::mutex mutex;  // protects compiled
  static auto& compiled = *new std::map<std::tuple<NumberType, int, int, int>, Kernels>;
  const int gpu = CurrentGpu();
  const std::lock_guard lock(mutex);
  const auto key = std::make_tuple(type, side, vector, gpu);
  const auto found = compiled.find(key);
  if (found != compiled.end()) return found->second;
  return compiled.emplace(key, Compile(type, side, vector, gpu)).first->second;
}

}  // namespace flowtrain::train::depthwise
