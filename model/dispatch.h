// Where the images of a batch go in a mixture of experts, and the maps that follow from it: images to the
// rows that experts compute, and those rows, weighted, back to images. A plan is made for one batch on the
// trainer's thread.
//
// Rows stand expert by expert, an expert's in the batch's order. The maps and their gradients read and
// write every row once, in a fixed order: no atomics, so the same sums each time.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace flowtrain::model {

// At least n, for n >= 1, and one of few numbers: convolution plans are made for each number of rows
// anew, which takes longer than a step.
int64_t PaddedRows(int64_t n);

// Which images each expert computes, as the host finds it.
struct DispatchPlan {
  std::vector<int64_t> rows;  // of each expert; 0: nobody chose it
  // [R + B * k] int64: the image of each of R rows, then the row of each image's k choices. Page-locked
  // where it is to go to a GPU.
  torch::Tensor table;
};

// indices: [B, k] int64 on the host, an image's experts. device: where the images are. pad: an expert's
// rows are rounded up (PaddedRows); padding rows are computed and never read, so nothing depends on them.
// An expert's rows follow the last one's; R is their sum.
DispatchPlan PlanDispatch(const torch::Tensor& indices, int64_t experts, at::Device device, bool pad);

// The same, padded, with room for a whole batch of every expert, so that an expert's rows stand at the same
// place in every batch: expert e's begin at e * PaddedRows(B), R is experts * PaddedRows(B). The image of
// what is not used is 0.
DispatchPlan PlanDispatchInSlots(const torch::Tensor& indices, int64_t experts, at::Device device);

// The maps of a plan whose table is on the images' device.
class Dispatch {
 public:
  // table: [R + batch * top_k]; it may be written anew later.
  Dispatch(const torch::Tensor& table, int64_t batch, int64_t top_k);

  // x: [B, d, H, W] -> [R, d, H, W], channels-last.
  torch::Tensor Gather(const torch::Tensor& x) const;
  // Of these the rows from `begin` on, `count` of them, without gradients.
  torch::Tensor GatherRows(const torch::Tensor& x, int64_t begin, int64_t count) const;
  // The gradient of Gather: row_gradients [R, d, H, W] -> [B, d, H, W], channels-last, without gradients.
  torch::Tensor GatherBackward(const torch::Tensor& row_gradients) const;
  // outputs: [R, d, H, W]; weights: [B, k] -> [B, d, H, W], channels-last, of outputs' type. Sums are
  // taken in at least float. Rows that no image has for its own get gradients of 0.
  torch::Tensor Combine(const torch::Tensor& outputs, const torch::Tensor& weights) const;

 private:
  const int64_t batch_;
  const torch::Tensor images_;  // [R]: a row's image
  const torch::Tensor places_;  // [B * k]: where an image's rows are
};

// y itself, with zeros as the gradients of parameters that had no part in it. So they are trained as
// every other (weight decay, moments), and whoever waits for all gradients gets them.
torch::Tensor WithIdle(const torch::Tensor& y, const std::vector<torch::Tensor>& parameters);

}  // namespace flowtrain::model
