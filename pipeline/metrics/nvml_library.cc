#include "pipeline/metrics/nvml_library.h"

#include <dlfcn.h>

#include <type_traits>

namespace flowtrain::metrics {

NvmlLibrary::NvmlLibrary(const std::string& file) {
  // Never closed: the driver's library keeps threads and exit handlers of its own.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  bool complete = true;
  auto find = [&](auto& function, const char* name) {
    void* symbol = dlsym(library, name);
    complete = complete && symbol;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  find(init, "nvmlInit_v2");
  find(shutdown, "nvmlShutdown");
  find(count, "nvmlDeviceGetCount_v2");
  find(handle, "nvmlDeviceGetHandleByIndex_v2");
  find(uuid, "nvmlDeviceGetUUID");
  find(utilization, "nvmlDeviceGetUtilizationRates");
  find(memory, "nvmlDeviceGetMemoryInfo");
  find(power, "nvmlDeviceGetPowerUsage");
  find(temperature, "nvmlDeviceGetTemperature");
  if (!complete) temperature = nullptr;
}

}  // namespace flowtrain::metrics
