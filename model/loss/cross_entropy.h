// Cross entropy over classes, of hard or soft targets, with label smoothing (Szegedy et al. 2016,
// "Rethinking the Inception Architecture for Computer Vision", section 7). A pure function, on the
// trainer's thread; it never waits for the device.
#pragma once

#include <ATen/ATen.h>

namespace flowtrain::model {

// The mean over images of -sum_k t_k log softmax(logits)_k with t smoothed to
// (1 - label_smoothing) t + label_smoothing / K. Computed in float32 (float64 stays), autocast off.
// logits: [B, K], B and K >= 1. targets: class numbers [B] int64, each in [0, K) (not looked at here:
// on a GPU a number outside ends the process' use of the device), or shares [B, K] of sum 1, as mixup
// makes them. label_smoothing: in [0, 1]. Throws std::invalid_argument on shapes that don't match and
// on a smoothing out of range.
at::Tensor CrossEntropy(const at::Tensor& logits, const at::Tensor& targets,
                        double label_smoothing);

}  // namespace flowtrain::model
