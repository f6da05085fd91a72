// How much memory work takes on a device at most. For measurements; on the thread that does the work.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>

namespace flowtrain::model {

// The most memory of tensors that was in use at once while `work` ran, less what was in use before, in
// bytes. On a CPU what this thread took and gave back.
int64_t PeakBytes(at::Device device, const std::function<void()>& work);

}  // namespace flowtrain::model
