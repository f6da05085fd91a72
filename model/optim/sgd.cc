#include "model/optim/sgd.h"

#include <stdexcept>

#include "model/optim/gradient_layout.h"

namespace flowtrain::model {

Sgd::Sgd(std::vector<at::Tensor> parameters, const SgdOptions& options)
    : options_(options), decayed_{options.weight_decay, {}, {}}, others_{0, {}, {}} {
  if (parameters.empty()) throw std::invalid_argument("SGD: there are no parameters");
  const at::NoGradGuard no_grad;
  for (at::Tensor& parameter : parameters) {
    Group& group = parameter.dim() <= 1 ? others_ : decayed_;
    group.momenta.push_back(at::zeros_like(parameter));
    group.parameters.push_back(std::move(parameter));
  }
  const at::Tensor& any = decayed_.parameters.empty() ? others_.parameters[0] : decayed_.parameters[0];
  lr_ = at::full({}, options.lr, any.options().dtype(at::kFloat).requires_grad(false));
}

void Sgd::SetRate(double lr) {
  const at::NoGradGuard no_grad;
  lr_.fill_(lr);
}

void Sgd::Step() {
  const at::NoGradGuard no_grad;
  for (Group* group : {&decayed_, &others_}) {
    if (group->parameters.empty()) continue;
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : group->parameters) {
      gradients.push_back(InLayoutOf(parameter, parameter.grad()));
    }
    // Momenta begin at zero, so that the first step is no exception.
    at::_fused_sgd_(group->parameters, gradients, group->momenta, group->weight_decay,
                    options_.momentum, lr_, /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                    /*is_first_step=*/false);
  }
}

}  // namespace flowtrain::model
