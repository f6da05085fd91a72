// Reads the GPUs' own counters through NVML, opened at run time so that nothing is needed where
// there is no GPU. The run owns one; a thread of its own samples, any thread may ask.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace flowtrain::metrics {

class GpuSampler {
 public:
  // Without the library, a driver or a GPU there is no thread and no series. CUDA_VISIBLE_DEVICES
  // narrows what is looked at.
  explicit GpuSampler(std::chrono::milliseconds period = std::chrono::milliseconds(500),
                      const std::string& library = "libnvidia-ml.so.1");
  ~GpuSampler();
  GpuSampler(const GpuSampler&) = delete;
  GpuSampler& operator=(const GpuSampler&) = delete;

  bool present() const;
  // Of the first visible GPU, the one a run trains on: 0..1, the latest sample and the mean since
  // the start; -1 where there is none.
  double Utilization() const;
  double MeanUtilization() const;

  // gpu_utilization_ratio{gpu}, gpu_memory_bytes{gpu,state}, gpu_power_watts{gpu},
  // gpu_temperature_celsius{gpu}; what a GPU does not report is left out.
  void Collect(std::vector<prometheus::MetricFamily>& out) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace flowtrain::metrics
