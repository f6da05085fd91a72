// The fused kernels walk parameter, gradient and moments as flat memory (the CUDA ones check the
// strides, the CPU ones of torch 2.11 don't), so a gradient needs its parameter's strides. Autograd
// mostly sees to that, but not where a side is 1.
#pragma once

#include <ATen/ATen.h>

namespace flowtrain::model {

// The gradient with its parameter's strides: itself, another view of its memory where that will do, or
// a copy.
at::Tensor InLayoutOf(const at::Tensor& parameter, const at::Tensor& gradient);

}  // namespace flowtrain::model
