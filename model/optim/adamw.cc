#include "model/optim/adamw.h"

#include <set>
#include <sstream>
#include <stdexcept>

#include "model/optim/gradient_layout.h"

namespace flowtrain::model {

AdamW::AdamW(std::vector<AdamWGroup> groups, const AdamWOptions& options)
    : groups_(std::move(groups)), options_(options) {
  const at::NoGradGuard no_grad;
  std::set<std::string> names;
  for (const AdamWGroup& group : groups_) {
    std::vector<Moments>& moments = moments_.emplace_back();
    for (const auto& [name, parameter] : group.parameters) {
      if (!names.insert(name).second) {
        throw std::invalid_argument("AdamW: parameter '" + name + "' is given twice");
      }
      if (parameter.scalar_type() != at::kFloat) {
        throw std::invalid_argument("AdamW: parameter '" + name + "' is " +
                                    toString(parameter.scalar_type()) + "; it must be Float");
      }
      moments.push_back({at::zeros_like(parameter), at::zeros_like(parameter),
                         at::zeros({}, parameter.options().requires_grad(false))});
    }
  }
}

void AdamW::Step() {
  const at::NoGradGuard no_grad;
  for (size_t g = 0; g < groups_.size(); ++g) {
    std::vector<at::Tensor> parameters, gradients, exp_avgs, exp_avg_sqs, steps;
    for (size_t i = 0; i < moments_[g].size(); ++i) {
      const at::Tensor& parameter = groups_[g].parameters[i].second;
      const at::Tensor& gradient = parameter.grad();
      if (!gradient.defined()) continue;
      parameters.push_back(parameter);
      gradients.push_back(InLayoutOf(parameter, gradient));
      exp_avgs.push_back(moments_[g][i].exp_avg);
      exp_avg_sqs.push_back(moments_[g][i].exp_avg_sq);
      steps.push_back(moments_[g][i].step);
    }
    if (parameters.empty()) continue;
    at::_foreach_add_(steps, 1);
    at::_fused_adamw_(parameters, gradients, exp_avgs, exp_avg_sqs, /*max_exp_avg_sqs=*/{}, steps,
                      groups_[g].lr, options_.beta1, options_.beta2, groups_[g].weight_decay,
                      options_.eps, /*amsgrad=*/false, /*maximize=*/false);
  }
}

std::map<std::string, at::Tensor> AdamW::State() const {
  std::map<std::string, at::Tensor> state;
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (size_t i = 0; i < moments_[g].size(); ++i) {
      const std::string& name = groups_[g].parameters[i].first;
      state[name + ".exp_avg"] = moments_[g][i].exp_avg;
      state[name + ".exp_avg_sq"] = moments_[g][i].exp_avg_sq;
      state[name + ".step"] = moments_[g][i].step;
    }
  }
  return state;
}

void AdamW::LoadState(const std::map<std::string, at::Tensor>& state) {
  const at::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> own = State();
  for (const auto& [name, tensor] : own) {
    const auto found = state.find(name);
    if (found == state.end()) {
      throw std::runtime_error("optimizer state: '" + name + "' is missing");
    }
    if (found->second.sizes() != tensor.sizes()) {
      std::ostringstream message;
      message << "optimizer state: '" << name << "' has shape " << found->second.sizes() << "; "
              << tensor.sizes() << " is needed";
      throw std::runtime_error(message.str());
    }
  }
  for (const auto& [name, tensor] : state) {
    if (!own.contains(name)) {
      throw std::runtime_error("optimizer state: '" + name + "' belongs to no parameter of the model");
    }
  }
  for (auto& [name, tensor] : own) tensor.copy_(state.at(name));
}

}  // namespace flowtrain::model
