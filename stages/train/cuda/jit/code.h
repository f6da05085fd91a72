// Kernels of a text that is compiled when it is first needed, for the current GPU. Any thread.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace flowtrain::train {

class Code {
 public:
  // what: "depthwise convolutions", for errors. Throws Error where libnvrtc is missing or the text does not
  // compile. The current stream must not be capturing: a capture allows no loading of code.
  Code(const char* text, const std::vector<std::string>& options, const std::string& what);

  cudaKernel_t Kernel(const char* name) const;

 private:
  cudaLibrary_t library_ = nullptr;  // never unloaded: at exit the driver may be gone
};

int CurrentGpu();
int ProcessorsOf(int gpu);  // its multiprocessors

}  // namespace flowtrain::train
