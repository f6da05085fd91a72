// The precision in which losses are computed: at least float32, whatever autocast is in force around
// the call. For the functions of this folder, on the calling thread.
#pragma once

#include <ATen/ATen.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace flowtrain::model {

// While it lives, autocast of every device is off on this thread.
class Float32Scope {
 private:
  c10::impl::ExcludeDispatchKeyGuard no_autocast_{c10::autocast_dispatch_keyset};
};

// Half and bfloat16 become float32; float64 stays, so that a loss can be held against exact values.
inline at::Tensor AtLeastFloat32(const at::Tensor& t) {
  return t.scalar_type() == at::kDouble ? t : t.to(at::kFloat);
}

}  // namespace flowtrain::model
