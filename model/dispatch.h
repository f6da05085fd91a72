// Where the images of a batch go in a mixture of experts, and the two maps that follow from it: images
// to the rows that experts compute, and those rows, weighted, back to images. A plan is made for one
// batch on the trainer's thread.
//
// Rows stand expert by expert, an expert's in the batch's order. Both maps and their gradients read and
// write every row once, in a fixed order: no atomics, so the same sums each time.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace flowtrain::model {

class DispatchPlan {
 public:
  // indices: [B, k] int64 on the host, an image's experts. device: where the images are. pad: an
  // expert's rows are rounded up (PaddedRows); padding rows are computed and never read, so nothing
  // depends on them.
  DispatchPlan(const torch::Tensor& indices, int64_t experts, at::Device device, bool pad);

  const std::vector<int64_t>& rows() const { return rows_; }  // of each expert; 0: nobody chose it
  // x: [B, d, H, W] -> [sum of rows, d, H, W], channels-last.
  torch::Tensor Gather(const torch::Tensor& x) const;
  // outputs: [sum of rows, d, H, W]; weights: [B, k] -> [B, d, H, W], channels-last, of outputs' type.
  // Sums are taken in at least float.
  torch::Tensor Combine(const torch::Tensor& outputs, const torch::Tensor& weights) const;

 private:
  std::vector<int64_t> rows_;
  torch::Tensor images_;  // [sum of rows] int64: a row's image
  torch::Tensor places_;  // [B * k] int64: where an image's rows are
};

// At least n, for n >= 1, and one of few numbers: convolution plans are made for each number of rows
// anew, which takes longer than a step.
int64_t PaddedRows(int64_t n);

// y itself, with zeros as the gradients of parameters that had no part in it. So they are trained as
// every other (weight decay, moments), and whoever waits for all gradients gets them.
torch::Tensor WithIdle(const torch::Tensor& y, const std::vector<torch::Tensor>& parameters);

}  // namespace flowtrain::model
