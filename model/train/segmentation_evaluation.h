// Sums a segmentation's quality over the batches of a validation, on the device. Owned by a trainer,
// on its thread.
#pragma once

#include <ATen/ATen.h>

#include "model/train/summary.h"

namespace flowtrain::model {

class SegmentationEvaluation {
 public:
  // logits, masks: [B, 1, H, W] of one size on one device; a mask's foreground is > 0.5. Never waits
  // for the device.
  void Add(const at::Tensor& logits, const at::Tensor& masks);

  // The means over all images added since the last call; waits for the device once.
  EvalMetrics Finish();

 private:
  at::Tensor sums_;  // float64 [2]: MAE, IoU; undefined before the first batch
  int64_t images_ = 0;
};

}  // namespace flowtrain::model
