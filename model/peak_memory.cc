#include "model/peak_memory.h"

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>

namespace flowtrain::model {
namespace {

// LibTorch's CPU allocator tells what it takes and gives back to whoever listens as its profiler does.
class CpuBytes final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device device) override {
    if (!device.is_cpu()) return;
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  int64_t in_use_ = 0, peak_ = 0;
};

int64_t PeakBytesOnCpu(const std::function<void()>& work) {
  const auto bytes = std::make_shared<CpuBytes>();
  const c10::DebugInfoGuard listening(c10::DebugInfoKind::PROFILER_STATE, bytes);
  work();
  return bytes->peak();
}

}  // namespace

int64_t PeakBytes(at::Device device, const std::function<void()>& work) {
  if (device.is_cpu()) return PeakBytesOnCpu(work);
  auto* const allocator = at::getDeviceAllocator(device.type());
  const c10::impl::VirtualGuardImpl guard(device.type());
  const auto all = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  guard.synchronizeDevice(device.index());
  allocator->resetPeakStats(device.index());
  const int64_t before = allocator->getDeviceStats(device.index()).allocated_bytes[all].current;
  work();
  guard.synchronizeDevice(device.index());
  return allocator->getDeviceStats(device.index()).allocated_bytes[all].peak - before;
}

}  // namespace flowtrain::model
