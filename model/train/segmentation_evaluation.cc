#include "model/train/segmentation_evaluation.h"

#include "model/loss/check_shapes.h"

namespace flowtrain::model {

void SegmentationEvaluation::Add(const at::Tensor& logits, const at::Tensor& masks) {
  CheckLogitsAndMasks("evaluation", logits, masks);
  const at::NoGradGuard no_grad;
  const at::Tensor p = logits.to(at::kFloat).sigmoid().flatten(1);
  const at::Tensor foreground = (masks > 0.5).flatten(1);
  const at::Tensor predicted = p >= 0.5;

  const at::Tensor mae = (p - foreground.to(at::kFloat)).abs().mean(1, false, at::kDouble);
  // Counts are exact as integers; a float32 sum would not be past 2^24 pixels.
  const at::Tensor hit = at::logical_and(predicted, foreground).sum(1);
  const at::Tensor either = at::logical_or(predicted, foreground).sum(1);
  const at::Tensor iou = hit.to(at::kDouble) / either.clamp_min(1).to(at::kDouble);

  const at::Tensor sums = at::stack({mae.sum(), iou.sum()});
  sums_ = sums_.defined() ? sums_ + sums : sums;
  images_ += logits.size(0);
}

EvalMetrics SegmentationEvaluation::Finish() {
  EvalMetrics metrics;
  if (images_ > 0) {
    const at::Tensor means = (sums_ / static_cast<double>(images_)).cpu();
    metrics = {images_, means[0].item<double>(), means[1].item<double>()};
  }
  sums_.reset();
  images_ = 0;
  return metrics;
}

}  // namespace flowtrain::model
