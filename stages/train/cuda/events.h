// CUDA events as fences, taken from a pool so that no batch makes one. Any thread.
#pragma once

#include <cuda_runtime_api.h>
#include <flowtrain/fence.h>

#include <memory>
#include <mutex>
#include <vector>

namespace flowtrain::train {

// Throws Error naming `what` and the reason.
void CheckCuda(cudaError_t status, const char* what);

// The events of one GPU. Held by its fences as well.
class EventPool : public std::enable_shared_from_this<EventPool> {
 public:
  explicit EventPool(int device) : device_(device) {}
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  // A fence that passes when what `stream` was given so far is done.
  FencePtr Record(cudaStream_t stream);

 private:
  friend class EventFence;
  cudaEvent_t Take();
  void Return(cudaEvent_t event);

  const int device_;
  std::mutex mutex_;  // protects free_
  std::vector<cudaEvent_t> free_;
};

class EventFence final : public Fence {
 public:
  EventFence(std::shared_ptr<EventPool> pool, cudaEvent_t event)
      : pool_(std::move(pool)), event_(event) {}
  ~EventFence() override { pool_->Return(event_); }
  // After a CUDA error both say that it has passed: the error ends the run where work is launched,
  // and nothing must wait for ever.
  bool Passed() override;
  void Wait() override;
  cudaEvent_t event() const { return event_; }

 private:
  const std::shared_ptr<EventPool> pool_;
  const cudaEvent_t event_;
};

}  // namespace flowtrain::train
