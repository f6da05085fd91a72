// Compiles CUDA C++ while the program runs, with the wheel's libnvrtc: neither building flowtrain
// nor running it needs CUDA's compiler. Any thread. Needs no GPU. LibTorch's own access to the
// library, at::globalContext().getNVRTC(), can't be used: its header is not in the wheel.
#pragma once

#include <nvrtc.h>

#include <string>
#include <vector>

namespace flowtrain::train {

class Nvrtc {
 public:
  // Null, and `why`, where the library can't be opened.
  static const Nvrtc* Find(std::string* why);

  // Code for GPUs of this compute capability (9.0: 90). For one newer than the library, text that
  // the driver compiles on (PTX). Throws Error with the compiler's words.
  std::string Compile(const char* source, std::vector<std::string> options, int capability) const;

 private:
  explicit Nvrtc(void* library);

  decltype(&nvrtcCreateProgram) create_;
  decltype(&nvrtcDestroyProgram) destroy_;
  decltype(&nvrtcCompileProgram) compile_;
  decltype(&nvrtcGetProgramLogSize) log_size_;
  decltype(&nvrtcGetProgramLog) log_;
  decltype(&nvrtcGetCUBINSize) cubin_size_;
  decltype(&nvrtcGetCUBIN) cubin_;
  decltype(&nvrtcGetPTXSize) ptx_size_;
  decltype(&nvrtcGetPTX) ptx_;
  int newest_;
};

}  // namespace flowtrain::train
