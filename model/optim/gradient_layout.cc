#include "model/optim/gradient_layout.h"

namespace flowtrain::model {

at::Tensor InLayoutOf(const at::Tensor& parameter, const at::Tensor& gradient) {
  if (gradient.strides() == parameter.strides()) return gradient;
  bool same_memory_order = gradient.is_non_overlapping_and_dense();
  for (int64_t d = 0; d < parameter.dim(); ++d) {
    same_memory_order &= parameter.size(d) == 1 || parameter.stride(d) == gradient.stride(d);
  }
  if (same_memory_order) return gradient.as_strided(parameter.sizes(), parameter.strides());
  return at::empty_like(parameter).copy_(gradient);
}

}  // namespace flowtrain::model
