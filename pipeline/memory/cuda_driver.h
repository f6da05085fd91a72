// The few functions of the CUDA driver that page-locked memory needs, through dlopen, so that the
// program needs no CUDA to build or to run. Process-wide: the driver itself is. Thread-safe.
#pragma once

#include <cstddef>

namespace flowtrain::memory {

class CudaDriver {
 public:
  // Opens the driver at the first call; later calls are cheap.
  static CudaDriver& Get();

  bool present() const { return register_ != nullptr; }
  // Registers [data, data + bytes) with the driver for all devices. False where there is no driver, no
  // device, or the driver refuses (a locked-memory limit).
  bool PageLock(void* data, size_t bytes);
  void PageUnlock(void* data);

 private:
  CudaDriver();
  int (*register_)(void*, size_t, unsigned) = nullptr;
  int (*unregister_)(void*) = nullptr;
  int (*set_current_)(void*) = nullptr;
  void* context_ = nullptr;  // the first device's primary context, which LibTorch uses as well
};

}  // namespace flowtrain::memory
