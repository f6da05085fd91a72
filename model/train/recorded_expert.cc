#include "model/train/recorded_expert.h"

#include "model/layers/random_state.h"
#include "model/train/forward_scope.h"

namespace flowtrain::model {

RecordedExpert::RecordedExpert(std::shared_ptr<Expert> expert, const ExpertSlots& slots, size_t number,
                               LowPrecisionWeights* low, MakeRecorder make_recorder)
    : expert_(std::move(expert)),
      slots_(slots),
      number_(number),
      low_(low),
      make_recorder_(std::move(make_recorder)) {
  for (const at::Tensor& parameter : expert_->parameters()) {
    if (parameter.requires_grad()) gradients_.emplace_back(parameter, at::zeros_like(parameter.detach()));
  }
}

void RecordedExpert::Forward(int64_t rows) {
  rows_ = rows;
  if (rows == 0) return;
  Size& size = sizes_[rows];
  if (size.forward) {
    size.forward->Replay();
  } else {
    Compute(rows);
    ++size.computed;
  }
}

void RecordedExpert::Backward() {
  if (rows_ == 0) {
    ClearGradients();
    return;
  }
  const Size& size = sizes_.at(rows_);
  if (size.backward) {
    size.backward->Replay();
  } else {
    ComputeBackward(rows_);
    TakeGradients();
  }
}

void RecordedExpert::Compute(int64_t rows) {
  input_ = slots_.Inputs(number_, rows).requires_grad_();
  const at::Tensor output = slots_.Outputs(number_, rows);
  {
    const ForwardScope scope(input_.device(), low_);
    output_ = expert_->Forward(input_);
  }
  TORCH_CHECK(output_.scalar_type() == output.scalar_type(), "an expert gives ", output_.scalar_type(),
              " for features of ", output.scalar_type());
  output.copy_(output_.detach());
}

void RecordedExpert::ComputeBackward(int64_t rows) {
  torch::autograd::backward({output_}, {slots_.OutputGradients(number_, rows)});
  slots_.InputGradients(number_, rows).copy_(input_.grad());
  output_.reset();
  input_.reset();
}

void RecordedExpert::TakeGradients() {
  const torch::NoGradGuard no_grad;
  const LowPrecisionWeights::Scope scope(low_);
  std::vector<at::Tensor> from, to;
  for (const auto& [parameter, gradient] : gradients_) {
    const at::Tensor computed = Low(parameter);
    if (!computed.grad().defined()) continue;  // no part of what the expert computes: stays zero
    from.push_back(computed.grad());
    to.push_back(gradient);
    computed.mutable_grad().reset();
  }
  if (!from.empty()) at::_foreach_copy_(to, from);
}

void RecordedExpert::ClearGradients() {
  std::vector<at::Tensor> all;
  for (const auto& [parameter, gradient] : gradients_) all.push_back(gradient);
  if (!all.empty()) at::_foreach_zero_(all);
}

bool RecordedExpert::Record() {
  constexpr int kSettled = 2;  // a number of rows that comes once may never come again
  if (rows_ == 0 || !make_recorder_) return false;
  const Size& size = sizes_.at(rows_);
  if (size.forward || size.computed < kSettled) return false;
  try {
    if (!recorder_) {
      recorder_ = make_recorder_();
      if (!recorder_->HasRoom()) {
        StopRecording("");
        return false;
      }
      // The largest first: as only one of the expert's sizes runs in a step, all share its memory.
      WarmUp(slots_.room());
      RecordRows(slots_.room());
    }
    if (!size.forward) RecordRows(rows_);
    return true;
  } catch (const c10::Error& error) {
    StopRecording(error.what_without_backtrace());
  } catch (const std::exception& error) {
    StopRecording(error.what());
  }
  return false;
}

// So that libraries have their plans and handles: making them can't be recorded. This step's gradients
// stay as they are.
void RecordedExpert::WarmUp(int64_t rows) {
  const RandomScope random(slots_.Outputs(number_, rows).device());
  Compute(rows);
  ComputeBackward(rows);
  DropGradients();
}

void RecordedExpert::RecordRows(int64_t rows) {
  auto forward = recorder_->Record([this, rows] { Compute(rows); });
  auto backward = recorder_->Record([this, rows] {
    ComputeBackward(rows);
    TakeGradients();
  });
  sizes_[rows] = {0, std::move(forward), std::move(backward)};
}

void RecordedExpert::StopRecording(std::string fault) {
  fault_ = std::move(fault);
  make_recorder_ = {};
  sizes_.clear();
  recorder_.reset();
  // What was being recorded was never computed.
  input_.reset();
  output_.reset();
  DropGradients();
}

void RecordedExpert::DropGradients() {
  const LowPrecisionWeights::Scope scope(low_);
  for (const auto& [parameter, gradient] : gradients_) Low(parameter).mutable_grad().reset();
}

}  // namespace flowtrain::model
