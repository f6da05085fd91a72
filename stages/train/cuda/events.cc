#include "stages/train/cuda/events.h"

#include <c10/cuda/CUDAGuard.h>
#include <flowtrain/error.h>

namespace flowtrain::train {

void CheckCuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}

EventPool::~EventPool() {
  for (cudaEvent_t event : free_) cudaEventDestroy(event);
}

cudaEvent_t EventPool::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      cudaEvent_t event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  cudaEvent_t event = nullptr;
  // Blocking: whoever waits sleeps, instead of keeping a CPU from decoding.
  CheckCuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync),
            "making a CUDA event");
  return event;
}

void EventPool::Return(cudaEvent_t event) {
  const std::lock_guard lock(mutex_);
  free_.push_back(event);
}

FencePtr EventPool::Record(cudaStream_t stream) {
  const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(device_));
  auto fence = std::make_shared<EventFence>(shared_from_this(), Take());
  CheckCuda(cudaEventRecord(fence->event(), stream), "recording a CUDA event");
  return fence;
}

bool EventFence::Passed() {
  const cudaError_t status = cudaEventQuery(event_);
  if (status != cudaSuccess) (void)cudaGetLastError();  // else LibTorch's next check finds it
  return status != cudaErrorNotReady;
}

void EventFence::Wait() {
  if (cudaEventSynchronize(event_) != cudaSuccess) (void)cudaGetLastError();
}

}  // namespace flowtrain::train
