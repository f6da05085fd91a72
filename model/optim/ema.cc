#include "model/optim/ema.h"

#include <algorithm>

namespace flowtrain::model {
namespace {

bool Averaged(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble;
}

}  // namespace

double EmaDecay(double decay, int64_t t) {
  const auto steps = static_cast<double>(t);
  return std::min(decay, (1 + steps) / (10 + steps));
}

Ema::Ema(std::vector<std::pair<std::string, at::Tensor>> state, double decay)
    : state_(std::move(state)), decay_(decay) {
  for (const auto& [name, tensor] : state_) {
    if (!Averaged(tensor)) continue;
    network_.push_back(tensor.detach());
    averages_.push_back(network_.back().clone());  // in its memory layout
  }
}

void Ema::Restart() {
  for (size_t i = 0; i < network_.size(); ++i) averages_[i].copy_(network_[i]);
}

void Ema::Update(int64_t step) {
  at::_foreach_lerp_(averages_, network_, 1 - EmaDecay(decay_, step));
}

void Ema::Exchange() {
  for (size_t i = 0; i < network_.size(); ++i) {
    const at::Tensor network = network_[i].clone();
    network_[i].copy_(averages_[i]);
    averages_[i].copy_(network);
  }
  in_network_ = !in_network_;
}

void Ema::PutIntoNetwork() {
  if (!in_network_) Exchange();
}

void Ema::TakeOutOfNetwork() {
  if (in_network_) Exchange();
}

std::map<std::string, at::Tensor> Ema::State() const {
  std::map<std::string, at::Tensor> state;
  size_t averaged = 0;
  for (const auto& [name, tensor] : state_) {
    state.emplace(name, Averaged(tensor) ? averages_[averaged++] : tensor);
  }
  return state;
}

}  // namespace flowtrain::model
