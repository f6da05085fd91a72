#include "model/loss/camoxpert_loss.h"

#include "model/layers/precision.h"
#include "model/loss/check_shapes.h"

namespace flowtrain::model {
namespace {

constexpr double kSmooth = 1e-5;

at::Tensor MeanBce(const at::Tensor& logits, const at::Tensor& masks) {
  return at::binary_cross_entropy_with_logits(logits, masks, {}, {}, at::Reduction::Mean);
}

at::Tensor SoftIouLoss(const at::Tensor& p, const at::Tensor& masks) {
  const at::Tensor intersection = (p * masks).sum({1, 2, 3});
  const at::Tensor sum = p.sum({1, 2, 3}) + masks.sum({1, 2, 3});
  return 1 - ((intersection + kSmooth) / (sum - intersection + kSmooth)).mean();
}

// 1-2-1 sums along `dim`, for the elements that have both neighbours.
at::Tensor Smooth121(const at::Tensor& t, int64_t dim) {
  const int64_t n = t.size(dim) - 2;
  return t.narrow(dim, 0, n) + 2 * t.narrow(dim, 1, n) + t.narrow(dim, 2, n);
}

at::Tensor CentralDifference(const at::Tensor& t, int64_t dim) {
  const int64_t n = t.size(dim) - 2;
  return t.narrow(dim, 2, n) - t.narrow(dim, 0, n);
}

// By slices and not by a convolution: cuDNN would round its inputs to TF32, and a kernel copied to
// the device at each call would make the host wait.
at::Tensor SobelMagnitude(const at::Tensor& t) {
  const at::Tensor padded = at::constant_pad_nd(t, {1, 1, 1, 1});
  const at::Tensor x = CentralDifference(Smooth121(padded, 2), 3);
  const at::Tensor y = CentralDifference(Smooth121(padded, 3), 2);
  return (x.square() + y.square() + kSmooth).sqrt();
}

at::Tensor DeepLoss(const std::vector<at::Tensor>& heads, const at::Tensor& masks) {
  at::Tensor sum = at::zeros({}, masks.options());
  for (const at::Tensor& head : heads) {
    const at::Tensor resized =
        at::upsample_bilinear2d(masks, {head.size(2), head.size(3)}, /*align_corners=*/false);
    CheckLogitsAndMasks("side output", head, resized);
    sum = sum + MeanBce(head.to(masks.scalar_type()), resized);
  }
  return heads.empty() ? sum : sum / static_cast<double>(heads.size());
}

}  // namespace

LossParts CamoXpertLoss(const SegmentationOutput& output, const at::Tensor& raw_masks,
                        const LossWeights& weights) {
  CheckLogitsAndMasks("CamoXpert loss", output.logits, raw_masks);
  const AutocastOff float32;
  const at::Tensor logits = AtLeastFloat(output.logits);
  const at::Tensor masks = raw_masks.to(logits.scalar_type());
  const at::Tensor p = logits.sigmoid();

  const at::Tensor bce = MeanBce(logits, masks);
  const at::Tensor iou = SoftIouLoss(p, masks);
  const at::Tensor edge = at::mse_loss(SobelMagnitude(p), SobelMagnitude(masks));
  const at::Tensor deep = DeepLoss(output.deep, masks);
  const at::Tensor auxiliary = output.auxiliary.defined()
                                   ? output.auxiliary.to(logits.scalar_type())
                                   : at::zeros({}, logits.options());

  LossParts parts;
  parts.total = weights.bce * bce + weights.iou * iou + weights.edge * edge +
                weights.deep * deep + auxiliary;
  parts.bce = bce.detach();
  parts.iou = iou.detach();
  parts.edge = edge.detach();
  parts.deep = deep.detach();
  parts.auxiliary = auxiliary.detach();
  return parts;
}

}  // namespace flowtrain::model
