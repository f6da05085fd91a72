// How the network's numerically delicate places leave autocast. Owned by nobody: free functions and
// a scope guard, used on the thread that runs the network.
#pragma once

#include <ATen/autocast_mode.h>
#include <torch/torch.h>

namespace flowtrain::model {

// While it lives, operators of this thread are not autocast, on any device.
class AutocastOff {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

// While it lives, operators of this thread are as they are: no autocast, no record for gradients.
class RawOperators {
 private:
  AutocastOff autocast_off_;
  at::AutoDispatchBelowADInplaceOrView below_autograd_;
};

// The type autocast computes in where it is on, else x's own.
inline torch::ScalarType AutocastType(const torch::Tensor& x) {
  const auto device = x.device().type();
  return at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device)
                                                   : x.scalar_type();
}

// The type of a layer's operands: autocast's for a float weight, else the weight's.
inline torch::ScalarType ComputeType(const torch::Tensor& weight) {
  return weight.scalar_type() == torch::kFloat ? AutocastType(weight) : weight.scalar_type();
}

// float for half and bfloat16, else the type itself (a double stays a double).
inline torch::ScalarType AtLeastFloat(torch::ScalarType type) {
  return type == torch::kHalf || type == torch::kBFloat16 ? torch::kFloat : type;
}

inline torch::Tensor AtLeastFloat(const torch::Tensor& x) {
  return x.to(AtLeastFloat(x.scalar_type()));
}

}  // namespace flowtrain::model
