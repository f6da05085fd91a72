// CamoXpert's training loss: BCE, soft IoU, edges, side outputs and the routers' own loss. A pure
// function, on the trainer's thread; it never waits for the device.
#pragma once

#include <ATen/ATen.h>

#include "model/loss/loss_weights.h"
#include "model/network.h"

namespace flowtrain::model {

// Scalars on the logits' device. `total` carries the gradient; the parts are detached and, but for
// `auxiliary` (weighted by the network), before their weights.
struct LossParts {
  at::Tensor total;
  at::Tensor bce;        // mean over pixels
  at::Tensor iou;        // 1 - mean over images of the soft IoU
  at::Tensor edge;       // mean squared difference of Sobel magnitudes
  at::Tensor deep;       // mean over side outputs of their BCE, 0 without any
  at::Tensor auxiliary;  // 0 without any
};

// total = w.bce bce + w.iou iou + w.edge edge + w.deep deep + auxiliary, with s = sigmoid(logits):
//   iou = 1 - mean_b (sum(s m) + 1e-5) / (sum(s) + sum(m) - sum(s m) + 1e-5)
//   edge = mean (|Sobel s| - |Sobel m|)^2, |.| = sqrt(x^2 + y^2 + 1e-5), zeros outside
// A side output is held against the masks resized to it (bilinear, align_corners false).
// masks: [B, 1, H, W] in [0, 1]. Computed in float32 (float64 stays), autocast off.
// Throws std::invalid_argument on shapes that don't match.
LossParts CamoXpertLoss(const SegmentationOutput& output, const at::Tensor& masks,
                        const LossWeights& weights);

}  // namespace flowtrain::model
