// The few functions of NVML that are used, found at run time. The declarations follow NVML's
// documented C interface (nvml.h is not needed to build).
#pragma once

#include <string>

namespace flowtrain::metrics {

struct NvmlLibrary {
  using Device = struct NvmlDeviceOpaque*;
  struct Utilization {
    unsigned gpu, memory;  // percent
  };
  struct Memory {
    unsigned long long total, free, used;  // bytes
  };
  static constexpr int kSuccess = 0;
  static constexpr int kTemperatureGpu = 0;

  // All null where the library or one of the functions is missing.
  explicit NvmlLibrary(const std::string& file);
  bool loaded() const { return temperature != nullptr; }

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*utilization)(Device, Utilization*) = nullptr;
  int (*memory)(Device, Memory*) = nullptr;
  int (*power)(Device, unsigned*) = nullptr;             // milliwatts
  int (*temperature)(Device, int, unsigned*) = nullptr;  // degrees Celsius
};

}  // namespace flowtrain::metrics
