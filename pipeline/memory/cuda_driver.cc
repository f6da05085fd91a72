#include "pipeline/memory/cuda_driver.h"

#include <dlfcn.h>

namespace flowtrain::memory {
namespace {

constexpr unsigned kHostRegisterPortable = 0x01;  // CU_MEMHOSTREGISTER_PORTABLE

template <class F>
bool Find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

CudaDriver& CudaDriver::Get() {
  static CudaDriver driver;
  return driver;
}

CudaDriver::CudaDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  int (*init)(unsigned) = nullptr;
  int (*get_device)(int*, int) = nullptr;
  int (*retain)(void**, int) = nullptr;
  int (*host_register)(void*, size_t, unsigned) = nullptr;
  if (!Find(library, "cuInit", init) || !Find(library, "cuDeviceGet", get_device) ||
      !Find(library, "cuDevicePrimaryCtxRetain", retain) || !Find(library, "cuCtxSetCurrent", set_current_) ||
      !Find(library, "cuMemHostRegister_v2", host_register) || !Find(library, "cuMemHostUnregister", unregister_)) {
    return;
  }
  int device = 0;
  if (init(0) != 0 || get_device(&device, 0) != 0 || retain(&context_, device) != 0) return;
  register_ = host_register;
}

bool CudaDriver::PageLock(void* data, size_t bytes) {
  return present() && set_current_(context_) == 0 && register_(data, bytes, kHostRegisterPortable) == 0;
}

void CudaDriver::PageUnlock(void* data) {
  if (present() && set_current_(context_) == 0) unregister_(data);
}

}  // namespace flowtrain::memory
