#include "model/layers/host_copy.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace flowtrain::model {

HostCopy::HostCopy(const torch::Tensor& tensor) {
  const torch::NoGradGuard no_grad;
  if (tensor.is_cpu()) {
    host_ = tensor.detach();
    return;
  }
  // Page-locked: from pageable memory the call would wait.
  host_ = at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(true));
  host_.copy_(tensor, /*non_blocking=*/true);
  copied_.emplace(tensor.device().type());
  copied_->record(c10::impl::VirtualGuardImpl(tensor.device().type()).getStream(tensor.device()));
}

torch::Tensor HostCopy::Await() {
  if (copied_) copied_->synchronize();
  copied_.reset();
  return host_;
}

}  // namespace flowtrain::model
