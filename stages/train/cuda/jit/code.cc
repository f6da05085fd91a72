#include "stages/train/cuda/jit/code.h"

#include <flowtrain/error.h>

#include "stages/train/cuda/events.h"
#include "stages/train/cuda/jit/nvrtc.h"

namespace flowtrain::train {
namespace {

int Attribute(cudaDeviceAttr attribute, int gpu) {
  int value = 0;
  CheckCuda(cudaDeviceGetAttribute(&value, attribute, gpu), "asking for the GPU's properties");
  return value;
}

}  // namespace

int CurrentGpu() {
  int gpu = 0;
  CheckCuda(cudaGetDevice(&gpu), "asking for the current GPU");
  return gpu;
}

int ProcessorsOf(int gpu) { return Attribute(cudaDevAttrMultiProcessorCount, gpu); }

Code::Code(const char* text, const std::vector<std::string>& options, const std::string& what) {
  std::string why;
  const Nvrtc* nvrtc = Nvrtc::Find(&why);
  if (nvrtc == nullptr)
    throw Error(what + " are compiled by libnvrtc, which can't be opened: " + why + "; run deploy/setup");
  const int gpu = CurrentGpu();
  const int capability =
      10 * Attribute(cudaDevAttrComputeCapabilityMajor, gpu) + Attribute(cudaDevAttrComputeCapabilityMinor, gpu);
  const std::string code = nvrtc->Compile(text, options, capability);
  CheckCuda(cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            ("loading " + what).c_str());
}

cudaKernel_t Code::Kernel(const char* name) const {
  cudaKernel_t kernel = nullptr;
  CheckCuda(cudaLibraryGetKernel(&kernel, library_, name), name);
  // Code goes to the GPU when it is first needed, so it is needed now: what launches it first may
  // be a capture.
  cudaFuncAttributes attributes;
  CheckCuda(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), name);
  return kernel;
}

}  // namespace flowtrain::train
