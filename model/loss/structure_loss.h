// The structure loss (Wei et al., F3Net, AAAI 2020, section 3.3): BCE and IoU, both weighted by how
// much a pixel differs from its neighbourhood. A pure function, on the trainer's thread.
#pragma once

#include <ATen/ATen.h>

namespace flowtrain::model {

struct StructureLossParts {
  at::Tensor bce;  // [B], weighted BCE of each image
  at::Tensor iou;  // [B], weighted IoU loss of each image
  at::Tensor total;  // scalar, mean over images of bce + iou
};

// logits, masks: [B, 1, H, W], masks in [0, 1]. Computed in float32 (float64 stays), autocast off.
//   w = 1 + 5 |avgpool31(m; stride 1, pad 15, zeros counted) - m|
//   bce = sum(w BCE) / sum(w),  iou = 1 - (I + 1) / (U - I + 1),  I = sum(s m w),  U = sum((s + m) w)
// Throws std::invalid_argument on shapes that don't match.
StructureLossParts StructureLoss(const at::Tensor& logits, const at::Tensor& masks);

}  // namespace flowtrain::model
