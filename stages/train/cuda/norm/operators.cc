// The operators that model/layers/row_norm.cc declares, for tensors on a GPU. Registered when this library
// is opened.
#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <algorithm>
#include <tuple>

#include "stages/train/cuda/jit/launch.h"
#include "stages/train/cuda/norm/kernels.h"
#include "stages/train/cuda/norm/shape.h"

namespace flowtrain::train::norm {
namespace {

using Three = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

// A batch of rows as kernels are launched on it.
struct Rows {
  explicit Rows(const at::Tensor& x)
      : columns(static_cast<int>(x.size(-1))),
        vector(VectorFor(columns, static_cast<int64_t>(x.element_size()), 0)),
        rows(static_cast<int>(x.size(0))) {
    TORCH_CHECK(x.dim() == 2 && x.size(0) > 0 && x.size(0) <= int64_t{1} << 30 && columns <= kMostColumns,
                "flowtrain's layer norm on a GPU takes no ", x.sizes());
  }
  // Enough for all rows, or `each` a multiprocessor.
  int Blocks(int each, int processors) const {
    const int at_a_time = kThreads / LanesFor(columns, vector);
    return std::min((rows + at_a_time - 1) / at_a_time, each * processors);
  }

  const int columns, vector, rows;
};

void Check(const char* name, const at::Tensor& tensor, at::IntArrayRef sizes, const at::TensorOptions& like) {
  TORCH_CHECK(tensor.sizes() == sizes && tensor.dtype() == like.dtype() && tensor.device() == like.device(),
              "layer norm: ", name, " is ", tensor.sizes(), " ", tensor.dtype(), " on ", tensor.device(), ", not ",
              sizes, " ", like.dtype(), " on ", like.device());
}

// Dense, and where `vector` numbers can be read at once.
at::Tensor Readable(const at::Tensor& x, int vector) {
  const at::Tensor dense = x.contiguous();
  const bool aligned = Address(dense) % (static_cast<uintptr_t>(vector) * dense.element_size()) == 0;
  return aligned ? dense : dense.clone();
}

template <class... Arguments>
void LaunchNorm(cudaKernel_t kernel, dim3 grid, Arguments... arguments) {
  Launch(kernel, grid, kThreads, "launching a layer norm", arguments...);
}

Three Forward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, double eps, bool gelu) {
  const c10::cuda::CUDAGuard guard(x.device());
  const Rows rows(x);
  Check("weight", weight, {rows.columns}, x.options());
  Check("bias", bias, {rows.columns}, x.options());
  const Kernels& kernels = KernelsFor(TypeOf(x), rows.columns, rows.vector);
  const at::Tensor in = Readable(x, rows.vector);
  const at::Tensor factor = Readable(weight, rows.vector), offset = Readable(bias, rows.vector);
  at::Tensor out = at::empty(in.sizes(), in.options());
  at::Tensor mean = at::empty({rows.rows}, in.options().dtype(at::kFloat)), scale = at::empty_like(mean);
  const int blocks = rows.Blocks(8, kernels.processors);
  LaunchNorm(kernels.forward, dim3(static_cast<unsigned>(blocks)), in.const_data_ptr(), factor.const_data_ptr(),
             offset.const_data_ptr(), out.mutable_data_ptr(), mean.mutable_data_ptr(), scale.mutable_data_ptr(),
             rows.rows, blocks, static_cast<float>(eps), static_cast<int>(gelu));
  return {out, mean, scale};
}

Three Backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
               const at::Tensor& mean, const at::Tensor& scale, bool gelu) {
  const c10::cuda::CUDAGuard guard(x.device());
  const Rows rows(x);
  Check("weight", weight, {rows.columns}, x.options());
  Check("bias", bias, {rows.columns}, x.options());
  Check("gradient", gradient, x.sizes(), x.options());
  Check("mean", mean, {rows.rows}, x.options().dtype(at::kFloat));
  Check("scale", scale, {rows.rows}, x.options().dtype(at::kFloat));
  const Kernels& kernels = KernelsFor(TypeOf(x), rows.columns, rows.vector);
  const at::Tensor in = Readable(x, rows.vector), given = Readable(gradient, rows.vector);
  const at::Tensor factor = Readable(weight, rows.vector), offset = Readable(bias, rows.vector);
  at::Tensor of_in = at::empty(in.sizes(), in.options());
  at::Tensor of_weight = at::empty({rows.columns}, in.options()), of_bias = at::empty_like(of_weight);
  const int blocks = rows.Blocks(2, kernels.processors);
  const at::Tensor partials = at::empty({blocks, 2, rows.columns}, mean.options());
  LaunchNorm(kernels.backward, dim3(static_cast<unsigned>(blocks)), given.const_data_ptr(), in.const_data_ptr(),
             factor.const_data_ptr(), offset.const_data_ptr(), mean.const_data_ptr(), scale.const_data_ptr(),
             of_in.mutable_data_ptr(), partials.mutable_data_ptr(), rows.rows, blocks, static_cast<int>(gelu));
  LaunchNorm(kernels.sum, dim3(static_cast<unsigned>((rows.columns + 31) / 32), 2), partials.const_data_ptr(), blocks,
             of_weight.mutable_data_ptr(), of_bias.mutable_data_ptr());
  return {of_in, of_weight, of_bias};
}

}  // namespace
}  // namespace flowtrain::train::norm

TORCH_LIBRARY_IMPL(flowtrain, CUDA, library) {
  library.impl("row_norm", &flowtrain::train::norm::Forward);
  library.impl("row_norm_backward", &flowtrain::train::norm::Backward);
}
