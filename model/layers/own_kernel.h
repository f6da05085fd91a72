// Whether a GPU's kernel of flowtrain's own takes a tensor. Free function.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/torch.h>

namespace flowtrain::model {

// op: the operator as LibTorch's dispatcher has it; its kernel is there once libflowtrain_train_cuda.so is
// open. x: channels in its second dimension; type: what is computed in.
inline bool OwnKernelTakes(const c10::OperatorHandle& op, const torch::Tensor& x, at::ScalarType type) {
  return x.is_cuda() && op.hasKernelForDispatchKey(c10::DispatchKey::CUDA) &&
         (type == at::kFloat || type == at::kHalf || type == at::kBFloat16) && x.numel() > 0 &&
         x.numel() / x.size(1) <= int64_t{1} << 30;
}

}  // namespace flowtrain::model
