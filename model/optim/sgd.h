// Stochastic gradient descent with momentum (Sutskever et al. 2013, as PyTorch has it) through ATen's
// fused kernels: one call for all parameters. Owned by a trainer, on its thread.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace flowtrain::model {

struct SgdOptions {
  double lr = 0.1;
  double momentum = 0.9;
  double weight_decay = 0;  // not on parameters of one dimension: norms and biases
};

class Sgd {
 public:
  // The parameters have their final device and memory layout: the momenta take it over.
  Sgd(std::vector<at::Tensor> parameters, const SgdOptions& options);

  // The learning rate of the steps from now on, also of recorded ones: it lives on the device.
  void SetRate(double lr);

  // v = momentum v + g + weight_decay p; p = p - lr v. Every parameter has a gradient.
  void Step();

 private:
  struct Group {
    double weight_decay;
    std::vector<at::Tensor> parameters, momenta;
  };
  const SgdOptions options_;
  Group decayed_, others_;
  at::Tensor lr_;  // float32 scalar beside the parameters
};

}  // namespace flowtrain::model
