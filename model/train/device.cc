#include "model/train/device.h"

#include <torch/torch.h>

#include <ATen/detail/CUDAHooksInterface.h>

#include <charconv>
#include <stdexcept>

namespace flowtrain::model {
namespace {

constexpr std::string_view kCudaPrefix = "cuda:";

int ParseIndex(const std::string& text) {
  if (text == "cuda") return 0;
  int index = -1;
  if (text.starts_with(kCudaPrefix)) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + kCudaPrefix.size(), end, index);
    if (parsed.ec != std::errc() || parsed.ptr != end) index = -1;
  }
  if (index < 0) {
    throw std::invalid_argument("device '" + text + "'; allowed: auto, cpu, cuda, cuda:N");
  }
  return index;
}

// Compute capability 8.0 and up; a GPU before that would only imitate bf16, slower than float32.
bool ComputesBf16(at::Device device) {
  return device.is_cuda() && at::detail::getCUDAHooks().supportsBFloat16ConvolutionWithCuDNNv8();
}

}  // namespace

at::Device ResolveDevice(const std::string& text) {
  if (text == "cpu") return at::kCPU;
  if (text == "auto") {
    return torch::cuda::is_available() ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
  }
  const int index = ParseIndex(text);
  const int count = torch::cuda::is_available() ? static_cast<int>(torch::cuda::device_count()) : 0;
  if (index >= count) {
    throw std::runtime_error("device '" + text + "': this machine has " + std::to_string(count) +
                             " usable GPUs" + (count == 0 ? "; allowed here: auto, cpu" : ""));
  }
  return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

Precision ResolvePrecision(const std::string& text, at::Device device) {
  if (text == "float32") return Precision::kFloat32;
  if (text == "auto") return ComputesBf16(device) ? Precision::kBf16 : Precision::kFloat32;
  if (text != "bf16") {
    throw std::invalid_argument("precision '" + text + "'; allowed: auto, float32, bf16");
  }
  if (!ComputesBf16(device)) {
    throw std::invalid_argument("precision 'bf16' needs a GPU of compute capability 8.0 or more, and " +
                                device.str() + " is none; allowed here: auto, float32");
  }
  return Precision::kBf16;
}

}  // namespace flowtrain::model
