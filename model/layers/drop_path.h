// Stochastic depth (Huang et al. 2016): in training a sample's residual branch is dropped with
// probability rate, and the others are scaled by 1/(1 - rate).
#pragma once

#include <torch/torch.h>

#include <vector>

namespace flowtrain::model {

inline torch::Tensor DropPath(const torch::Tensor& branch, double rate, bool training) {
  if (rate == 0 || !training) return branch;
  std::vector<int64_t> shape(branch.dim(), 1);
  shape[0] = branch.size(0);
  return branch * at::empty(shape, branch.options()).bernoulli_(1 - rate).div_(1 - rate);
}

}  // namespace flowtrain::model
