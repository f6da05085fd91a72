// Two GPUs: the first at 87%, the second idle and without a power reading.
#include <cstdint>
#include <cstdio>

extern "C" {
int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* n) { return *n = 2, 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void** d) {
  return *d = reinterpret_cast<void*>(static_cast<uintptr_t>(i + 1)), 0;
}
int nvmlDeviceGetUUID(void* d, char* text, unsigned size) {
  return std::snprintf(text, size, "GPU-%s-0000",
                       d == reinterpret_cast<void*>(1) ? "aaaa" : "bbbb"),
         0;
}
int nvmlDeviceGetUtilizationRates(void* d, unsigned* u) {
  return u[0] = d == reinterpret_cast<void*>(1) ? 87 : 0, u[1] = 5, 0;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* m) {
  return m[0] = 80ull << 30, m[1] = 60ull << 30, m[2] = 20ull << 30, 0;
}
int nvmlDeviceGetPowerUsage(void* d, unsigned* mw) {
  return *mw = 312500, d == reinterpret_cast<void*>(1) ? 0 : 3;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* c) { return *c = 61, 0; }
}
