// A tensor on its way from the device to the host, so that the host need wait no longer than for that
// tensor: work launched behind the copy goes on.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>

namespace flowtrain::model {

class HostCopy {
 public:
  // Launches the copy on the device's current stream. A tensor of the host is taken as it is.
  explicit HostCopy(const at::Tensor& tensor) : tensor_(tensor) {
    if (tensor.is_cpu()) return;
    const auto device = tensor.device();
    tensor_ = at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(true));
    tensor_.copy_(tensor, /*non_blocking=*/true);
    copied_.emplace(device.type());
    copied_->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  }

  // The tensor on the host; waits for the copy.
  const at::Tensor& Wait() {
    if (copied_) copied_->synchronize();
    return tensor_;
  }

 private:
  at::Tensor tensor_;
  std::optional<c10::Event> copied_;
};

}  // namespace flowtrain::model
