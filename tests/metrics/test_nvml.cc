#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "pipeline/metrics/nvml.h"
#include "pipeline/metrics/run_metrics.h"

using namespace flowtrain::metrics;
using namespace std::chrono_literals;

namespace {

// Waits for the first sample; the sampler's thread takes it at once.
void Await(const GpuSampler& gpus) {
  for (int i = 0; i < 500 && gpus.Utilization() < 0; ++i) std::this_thread::sleep_for(10ms);
}

}  // namespace

TEST_CASE("without NVML there are no GPU series at all") {
  GpuSampler gpus(500ms, "libno-such-nvml.so.1");
  RunMetrics m;
  Reading reading = m.AddGpus(gpus);
  CHECK(!gpus.present());
  CHECK(gpus.Utilization() == -1);
  CHECK(gpus.MeanUtilization() == -1);
  CHECK(m.Text().find("gpu") == std::string::npos);
}

TEST_CASE("GPU readings become series in base units, and what a GPU lacks is left out") {
  unsetenv("CUDA_VISIBLE_DEVICES");
  GpuSampler gpus(10ms, FAKE_NVML);
  Await(gpus);
  RunMetrics m;
  Reading reading = m.AddGpus(gpus);
  std::string text;
  for (int i = 0; i < 100 && text.find("temperature_celsius{gpu=\"1\"}") == std::string::npos;
       ++i) {
    std::this_thread::sleep_for(10ms);
    text = m.Text();
  }
  CHECK(text.find("flowtrain_gpu_utilization_ratio{gpu=\"0\"} 0.87") != std::string::npos);
  CHECK(text.find("flowtrain_gpu_memory_bytes{gpu=\"0\",state=\"used\"} 21474836480") !=
        std::string::npos);
  CHECK(text.find("flowtrain_gpu_memory_bytes{gpu=\"1\",state=\"total\"} 85899345920") !=
        std::string::npos);
  CHECK(text.find("flowtrain_gpu_power_watts{gpu=\"0\"} 312.5") != std::string::npos);
  CHECK(text.find("flowtrain_gpu_power_watts{gpu=\"1\"}") == std::string::npos);
  CHECK(text.find("flowtrain_gpu_temperature_celsius{gpu=\"1\"} 61") != std::string::npos);
  CHECK(gpus.MeanUtilization() == doctest::Approx(0.87));
}

TEST_CASE("CUDA_VISIBLE_DEVICES decides which GPU is the run's") {
  for (const char* second : {"1", "GPU-bbbb"}) {
    setenv("CUDA_VISIBLE_DEVICES", second, 1);
    GpuSampler gpus(10ms, FAKE_NVML);
    Await(gpus);
    CHECK(gpus.Utilization() == 0);
    RunMetrics m;
    Reading reading = m.AddGpus(gpus);
    CHECK(m.Text().find("gpu=\"0\"") == std::string::npos);
  }
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  CHECK(!GpuSampler(10ms, FAKE_NVML).present());
  unsetenv("CUDA_VISIBLE_DEVICES");
}
