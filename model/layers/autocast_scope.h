// Autocast to bfloat16 for the time of one forward pass; what torch.autocast does in Python. A local
// variable on the trainer's thread.
#pragma once

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

namespace flowtrain::model {

class Bf16Scope {
 public:
  // Where not enabled, it leaves everything as it is.
  Bf16Scope(at::DeviceType device, bool enabled)
      : device_(device),
        enabled_(enabled),
        before_(at::autocast::is_autocast_enabled(device)),
        dtype_before_(at::autocast::get_autocast_dtype(device)) {
    if (!enabled_) return;
    at::autocast::set_autocast_enabled(device_, true);
    at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  ~Bf16Scope() {
    if (!enabled_) return;
    // The cache holds this step's bf16 copies of the weights; the optimizer is about to change those.
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, before_);
    at::autocast::set_autocast_dtype(device_, dtype_before_);
  }
  Bf16Scope(const Bf16Scope&) = delete;
  Bf16Scope& operator=(const Bf16Scope&) = delete;

 private:
  const at::DeviceType device_;
  const bool enabled_;
  const bool before_;
  const at::ScalarType dtype_before_;
};

}  // namespace flowtrain::model
