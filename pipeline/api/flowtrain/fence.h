// A point in a device's work that passes at some time: a batch's memory is free for reuse only when
// all fences it was given have passed. Implemented by whoever drives a device (train.upload: a CUDA
// event). Any thread may call both functions.
#pragma once

#include <memory>

#include <flowtrain/export.h>

namespace flowtrain {

class FLOWTRAIN_API Fence {
 public:
  virtual ~Fence();
  virtual bool Passed() = 0;  // does not block
  virtual void Wait() = 0;    // blocks until it has passed
};

using FencePtr = std::shared_ptr<Fence>;

}  // namespace flowtrain
