#include "model/layers/low_precision.h"

namespace flowtrain::model {
namespace {

thread_local const LowPrecisionWeights* of_this_thread = nullptr;

}  // namespace

torch::Tensor Low(const torch::Tensor& parameter) {
  const LowPrecisionWeights* const current = LowPrecisionWeights::current();
  if (current == nullptr || !parameter.defined()) return parameter;
  const auto found = current->copy_of_.find(parameter.unsafeGetTensorImpl());
  return found == current->copy_of_.end() ? parameter : found->second;
}

LowPrecisionWeights::LowPrecisionWeights(const torch::nn::Module& module, at::ScalarType type) {
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : module.parameters()) {
    parameters_.push_back(parameter);
    copies_.push_back(at::empty_like(parameter, parameter.options().dtype(type)).requires_grad_(parameter.requires_grad()));
    copy_of_.emplace(parameter.unsafeGetTensorImpl(), copies_.back());
  }
  Refresh();
}

void LowPrecisionWeights::Refresh() {
  const torch::NoGradGuard no_grad;
  at::_foreach_copy_(copies_, parameters_);
}

void LowPrecisionWeights::ReturnGradients() {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> from, to;
  for (size_t i = 0; i < copies_.size(); ++i) {
    auto& gradient = copies_[i].mutable_grad();
    if (!gradient.defined()) continue;
    from.push_back(gradient);
    to.push_back(at::empty_like(parameters_[i], parameters_[i].options().requires_grad(false)));
    TORCH_CHECK(!parameters_[i].grad().defined(), "a parameter is used both as it is and as its copy in a half type");
    parameters_[i].mutable_grad() = to.back();
    gradient.reset();
  }
  if (!from.empty()) at::_foreach_copy_(to, from);
}

void LowPrecisionWeights::DropGradients() {
  for (torch::Tensor& copy : copies_) copy.mutable_grad().reset();
}

const LowPrecisionWeights* LowPrecisionWeights::current() { return of_this_thread; }

LowPrecisionWeights::Scope::Scope(const LowPrecisionWeights* weights) : before_(of_this_thread) {
  of_this_thread = weights;
}

LowPrecisionWeights::Scope::~Scope() { of_this_thread = before_; }

}  // namespace flowtrain::model
