#include "model/loss/structure_loss.h"

#include "model/layers/precision.h"
#include "model/loss/check_shapes.h"

namespace flowtrain::model {
namespace {

constexpr int64_t kWindow = 31;
constexpr double kBoundaryWeight = 5.0;

// The mean over a square window is the mean over rows of the mean over columns: 62 additions a pixel
// instead of 961.
at::Tensor NeighbourhoodMean(const at::Tensor& masks) {
  const at::Tensor columns = at::avg_pool2d(masks, {kWindow, 1}, {1, 1}, {kWindow / 2, 0});
  return at::avg_pool2d(columns, {1, kWindow}, {1, 1}, {0, kWindow / 2});
}

}  // namespace

StructureLossParts StructureLoss(const at::Tensor& raw_logits, const at::Tensor& raw_masks) {
  CheckLogitsAndMasks("structure loss", raw_logits, raw_masks);
  const AutocastOff float32;
  const at::Tensor logits = AtLeastFloat(raw_logits);
  const at::Tensor masks = raw_masks.to(logits.scalar_type());
  const at::Tensor weight = 1 + kBoundaryWeight * (NeighbourhoodMean(masks) - masks).abs();

  // Unreduced: a BCE already averaged would make the weights cancel out.
  const at::Tensor bce =
      at::binary_cross_entropy_with_logits(logits, masks, {}, {}, at::Reduction::None);
  const at::Tensor p = logits.sigmoid();
  const at::Tensor intersection = (p * masks * weight).sum({1, 2, 3});
  const at::Tensor sum = ((p + masks) * weight).sum({1, 2, 3});

  StructureLossParts parts;
  parts.bce = (weight * bce).sum({1, 2, 3}) / weight.sum({1, 2, 3});
  parts.iou = 1 - (intersection + 1) / (sum - intersection + 1);
  parts.total = (parts.bce + parts.iou).mean();
  return parts;
}

}  // namespace flowtrain::model
