// Memory through which one mixture-of-experts layer's experts and the recorded parts of a step hand each
// other rows: at the same addresses every step, since a recording knows no others. Every expert has room
// for a whole batch. Owned by a recorded step; on the trainer's thread.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "model/dispatch.h"
#include "model/staged_network.h"

namespace flowtrain::model {

class ExpertSlots {
 public:
  // encoded: as its recording leaves it, features [B, d, H, W] and weights [B, k]; both are read each step.
  ExpertSlots(const EncodedLayer& encoded, int64_t experts);

  // Rows that an expert has room for, at least a batch's images.
  int64_t room() const { return room_; }
  // Where this step's rows go. chosen: [B, k] on the host. Returns the rows of each expert.
  std::vector<int64_t> Place(const at::Tensor& chosen);

  // Of an expert, its first `rows` rows, [rows, d, H, W], channels-last.
  at::Tensor Inputs(size_t expert, int64_t rows) const;           // a copy
  at::Tensor Outputs(size_t expert, int64_t rows) const;          // to be written
  at::Tensor OutputGradients(size_t expert, int64_t rows) const;  // behind Combine's backward pass
  at::Tensor InputGradients(size_t expert, int64_t rows) const;   // to be written

  // The weighted sum of outputs, [B, d, H, W]. To be recorded, once, with its backward pass.
  at::Tensor Combine() const;
  at::Tensor WeightGradient() const { return weights_.grad(); }  // [B, k], behind that pass
  at::Tensor FeatureGradient() const;  // [B, d, H, W], of the input gradients; to be recorded

 private:
  at::Tensor Rows(const at::Tensor& all, size_t expert, int64_t rows) const;

  const int64_t room_, experts_;
  const at::Tensor features_, weights_;
  at::Tensor table_;
  const Dispatch dispatch_;
  at::Tensor outputs_, input_gradients_;  // [experts * room, d, H, W]
};

}  // namespace flowtrain::model
