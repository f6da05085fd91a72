#include "stages/train/cuda/jit/nvrtc.h"

#include <dlfcn.h>
#include <flowtrain/error.h>

#include <memory>

namespace flowtrain::train {
namespace {

constexpr char kLibrary[] = "libnvrtc.so.13";

struct Opened {
  std::unique_ptr<const Nvrtc> nvrtc;
  std::string why;
};

template <class Function>
void Get(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw Error(std::string(kLibrary) + " lacks " + name);
}

}  // namespace

const Nvrtc* Nvrtc::Find(std::string* why) {
  static const Opened opened = [] {
    void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* reason = dlerror();
      return Opened{nullptr, reason != nullptr ? reason : "the loader gives no reason"};
    }
    return Opened{std::unique_ptr<const Nvrtc>(new Nvrtc(library)), ""};
  }();
  if (opened.nvrtc == nullptr && why != nullptr) *why = opened.why;
  return opened.nvrtc.get();
}

Nvrtc::Nvrtc(void* library) {
  Get(library, "nvrtcCreateProgram", create_);
  Get(library, "nvrtcDestroyProgram", destroy_);
  Get(library, "nvrtcCompileProgram", compile_);
  Get(library, "nvrtcGetProgramLogSize", log_size_);
  Get(library, "nvrtcGetProgramLog", log_);
  Get(library, "nvrtcGetCUBINSize", cubin_size_);
  Get(library, "nvrtcGetCUBIN", cubin_);
  Get(library, "nvrtcGetPTXSize", ptx_size_);
  Get(library, "nvrtcGetPTX", ptx_);
  decltype(&nvrtcGetNumSupportedArchs) count = nullptr;
  decltype(&nvrtcGetSupportedArchs) list = nullptr;
  Get(library, "nvrtcGetNumSupportedArchs", count);
  Get(library, "nvrtcGetSupportedArchs", list);
  int architectures = 0;
  if (count(&architectures) != NVRTC_SUCCESS || architectures == 0)
    throw Error(std::string(kLibrary) + " names no GPUs to compile for");
  std::vector<int> all(static_cast<size_t>(architectures));  // ascending
  list(all.data());
  newest_ = all.back();
}

std::string Nvrtc::Compile(const char* source, std::vector<std::string> options,
                           int capability) const {
  const bool known = capability <= newest_;
  options.push_back(known ? "--gpu-architecture=sm_" + std::to_string(capability)
                          : "--gpu-architecture=compute_" + std::to_string(newest_));
  std::vector<const char*> words;
  for (const std::string& option : options) words.push_back(option.c_str());
  nvrtcProgram program = nullptr;
  if (create_(&program, source, "kernels.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
    throw Error(std::string(kLibrary) + " can't begin to compile");
  const auto destroy = [this](nvrtcProgram* p) { destroy_(p); };
  const std::unique_ptr<nvrtcProgram, decltype(destroy)> owner(&program, destroy);
  size_t bytes = 0;
  if (compile_(program, static_cast<int>(words.size()), words.data()) != NVRTC_SUCCESS) {
    std::string log;
    if (log_size_(program, &bytes) == NVRTC_SUCCESS) log_(program, (log.resize(bytes), log.data()));
    throw Error(std::string(kLibrary) + " can't compile for " + options.back() + ": " + log);
  }
  std::string code;
  const auto size = known ? cubin_size_(program, &bytes) : ptx_size_(program, &bytes);
  code.resize(bytes);
  const auto got = known ? cubin_(program, code.data()) : ptx_(program, code.data());
  if (size != NVRTC_SUCCESS || got != NVRTC_SUCCESS)
    throw Error(std::string(kLibrary) + " compiled, but gives no code");
  return code;
}

}  // namespace flowtrain::train
