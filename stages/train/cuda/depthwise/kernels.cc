#include "stages/train/cuda/depthwise/kernels.h"

#include <flowtrain/error.h>

#include <map>
#include <mutex>
#include <tuple>

#include "stages/train/cuda/depthwise/nvrtc.h"
#include "stages/train/cuda/events.h"

namespace flowtrain::train::depthwise {
namespace {

int Attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  CheckCuda(cudaDeviceGetAttribute(&value, attribute, device), "asking for the GPU's properties");
  return value;
}

cudaKernel_t Get(cudaLibrary_t library, const char* name) {
  cudaKernel_t kernel = nullptr;
  CheckCuda(cudaLibraryGetKernel(&kernel, library, name), name);
  // Code goes to the GPU when it is first needed, so it is needed now: what launches it first may
  // be a capture.
  cudaFuncAttributes attributes;
  CheckCuda(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), name);
  return kernel;
}

Kernels Compile(NumberType type, int side, int vector, int device) {
  std::string why;
  const Nvrtc* nvrtc = Nvrtc::Find(&why);
  if (nvrtc == nullptr)
    throw Error("depthwise convolutions are compiled by libnvrtc, which can't be opened: " + why +
                "; run deploy/setup");
  const int capability = 10 * Attribute(cudaDevAttrComputeCapabilityMajor, device) +
                         Attribute(cudaDevAttrComputeCapabilityMinor, device);
  const std::string code = nvrtc->Compile(kSource, CompileOptions(type, side, vector), capability);
  cudaLibrary_t library = nullptr;  // never unloaded: at exit the driver may be gone
  CheckCuda(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            "loading the depthwise convolution");
  return {Get(library, "DepthwiseForward"), Get(library, "DepthwiseWeightPartials"),
          Get(library, "DepthwiseWeightSum"), Attribute(cudaDevAttrMultiProcessorCount, device)};
}

}  // namespace

const Kernels& KernelsFor(NumberType type, int side, int vector) {
  static std::mutex mutex;  // protects compiled
  static auto& compiled = *new std::map<std::tuple<NumberType, int, int, int>, Kernels>;
  int device = 0;
  CheckCuda(cudaGetDevice(&device), "asking for the current GPU");
  const std::lock_guard lock(mutex);
  const auto key = std::make_tuple(type, side, vector, device);
  const auto found = compiled.find(key);
  if (found != compiled.end()) return found->second;
  return compiled.emplace(key, Compile(type, side, vector, device)).first->second;
}

}  // namespace flowtrain::train::depthwise
