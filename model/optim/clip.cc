#include "model/optim/clip.h"

namespace flowtrain::model {

at::Tensor GlobalNorm(const std::vector<at::Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2)), 2);
}

at::Tensor ClipGlobalNorm(const std::vector<at::Tensor>& gradients, double max_norm) {
  const at::NoGradGuard no_grad;
  at::Tensor norm = GlobalNorm(gradients);
  at::_foreach_mul_(gradients, (max_norm / (norm + 1e-6)).clamp_max(1.0));
  return norm;
}

}  // namespace flowtrain::model
