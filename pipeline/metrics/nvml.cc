#include "pipeline/metrics/nvml.h"

#include <prometheus/metric_family.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "pipeline/metrics/nvml_library.h"

namespace flowtrain::metrics {
namespace {

struct Gpu {
  NvmlLibrary::Device device;
  std::string index;  // NVML's number: the label
  std::optional<double> utilization, used, total, watts, celsius;
};

// The numbers CUDA_VISIBLE_DEVICES names, in its order ("1,0", "GPU-5a3c..."). As in CUDA, the list
// ends at the first entry that is none. Unset: all. MIG instances have no utilization counter:
// none.
std::vector<unsigned> Visible(const NvmlLibrary& nvml, unsigned count) {
  std::vector<unsigned> out;
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!list) {
    for (unsigned i = 0; i < count; ++i) out.push_back(i);
    return out;
  }
  std::istringstream in(list);
  for (std::string entry; std::getline(in, entry, ',');) {
    std::optional<unsigned> found;
    for (unsigned i = 0; i < count && !found && !entry.empty(); ++i) {
      char uuid[96] = "";
      NvmlLibrary::Device device;
      if (nvml.handle(i, &device) != NvmlLibrary::kSuccess) continue;
      nvml.uuid(device, uuid, sizeof uuid);
      const bool by_uuid = entry.rfind("GPU-", 0) == 0 && std::string(uuid).rfind(entry, 0) == 0;
      if (by_uuid || entry == std::to_string(i)) found = i;
    }
    if (!found) break;
    out.push_back(*found);
  }
  return out;
}

}  // namespace

struct GpuSampler::Parts {
  explicit Parts(const std::string& library) : nvml(library) {}

  void Sample() {
    for (size_t i = 0; i < gpus.size(); ++i) {
      const NvmlLibrary::Device device = gpus[i].device;
      NvmlLibrary::Utilization utilization;
      NvmlLibrary::Memory memory;
      unsigned value;
      Gpu now{device, gpus[i].index};
      if (nvml.utilization(device, &utilization) == NvmlLibrary::kSuccess)
        now.utilization = utilization.gpu / 100.0;
      if (nvml.memory(device, &memory) == NvmlLibrary::kSuccess) {
        now.used = static_cast<double>(memory.used);
        now.total = static_cast<double>(memory.total);
      }
      if (nvml.power(device, &value) == NvmlLibrary::kSuccess) now.watts = value / 1000.0;
      if (nvml.temperature(device, NvmlLibrary::kTemperatureGpu, &value) == NvmlLibrary::kSuccess)
        now.celsius = value;
      std::lock_guard lock(mutex);
      gpus[i] = now;
      if (i == 0 && now.utilization) {
        sum += *now.utilization;
        ++samples;
      }
    }
  }

  void Loop(std::chrono::milliseconds period) {
    std::unique_lock lock(mutex);
    while (!stop) {
      lock.unlock();
      Sample();
      lock.lock();
      wake.wait_for(lock, period, [this] { return stop; });
    }
  }

  const NvmlLibrary nvml;
  bool started = false;
  std::mutex mutex;  // guards what follows; only the sampling thread changes gpus
  std::condition_variable wake;
  bool stop = false;
  std::vector<Gpu> gpus;
  double sum = 0;
  uint64_t samples = 0;
  std::thread thread;
};

GpuSampler::GpuSampler(std::chrono::milliseconds period, const std::string& library)
    : parts_(std::make_unique<Parts>(library)) {
  const NvmlLibrary& nvml = parts_->nvml;
  if (!nvml.loaded() || nvml.init() != NvmlLibrary::kSuccess) return;
  parts_->started = true;
  unsigned count = 0;
  if (nvml.count(&count) != NvmlLibrary::kSuccess) return;
  for (unsigned i : Visible(nvml, count)) {
    NvmlLibrary::Device device;
    if (nvml.handle(i, &device) == NvmlLibrary::kSuccess)
      parts_->gpus.push_back({device, std::to_string(i)});
  }
  if (!parts_->gpus.empty()) parts_->thread = std::thread([this, period] { parts_->Loop(period); });
}

GpuSampler::~GpuSampler() {
  {
    std::lock_guard lock(parts_->mutex);
    parts_->stop = true;
  }
  parts_->wake.notify_all();
  if (parts_->thread.joinable()) parts_->thread.join();
  if (parts_->started) parts_->nvml.shutdown();
}

bool GpuSampler::present() const { return !parts_->gpus.empty(); }

double GpuSampler::Utilization() const {
  std::lock_guard lock(parts_->mutex);
  return parts_->gpus.empty() ? -1 : parts_->gpus[0].utilization.value_or(-1);
}

double GpuSampler::MeanUtilization() const {
  std::lock_guard lock(parts_->mutex);
  return parts_->samples ? parts_->sum / static_cast<double>(parts_->samples) : -1;
}

void GpuSampler::Collect(std::vector<prometheus::MetricFamily>& out) const {
  std::lock_guard lock(parts_->mutex);
  auto family = [&](const char* name, const char* help, auto field, const char* state) {
    if (out.empty() || out.back().name != name)
      out.push_back({name, help, prometheus::MetricType::Gauge, {}});
    for (const Gpu& gpu : parts_->gpus) {
      if (!(gpu.*field)) continue;
      prometheus::ClientMetric metric;
      metric.label.push_back({"gpu", gpu.index});
      if (*state) metric.label.push_back({"state", state});
      metric.gauge.value = *(gpu.*field);
      out.back().metric.push_back(std::move(metric));
    }
    if (out.back().metric.empty()) out.pop_back();
  };
  family("flowtrain_gpu_utilization_ratio", "Share of time in which a kernel ran on the GPU.",
         &Gpu::utilization, "");
  family("flowtrain_gpu_memory_bytes", "The GPU's memory.", &Gpu::used, "used");
  family("flowtrain_gpu_memory_bytes", "The GPU's memory.", &Gpu::total, "total");
  family("flowtrain_gpu_power_watts", "Power the GPU draws.", &Gpu::watts, "");
  family("flowtrain_gpu_temperature_celsius", "The GPU's temperature.", &Gpu::celsius, "");
}

}  // namespace flowtrain::metrics
