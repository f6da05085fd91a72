"""The losses of model/loss in plain PyTorch, in float whatever autocast says; their headers have
the formulas and sources. logits, masks: [B, 1, H, W]."""
import torch
from torch.nn import functional as F


def structure_loss(logits, masks):
    """Weighted BCE and weighted IoU loss of each image, [B] each; the loss is their sum's mean."""
    with torch.autocast(logits.device.type, enabled=False):
        logits = logits.float() if logits.dtype != torch.double else logits
        weight = 1 + 5 * (F.avg_pool2d(masks, 31, stride=1, padding=15) - masks).abs()
        bce = F.binary_cross_entropy_with_logits(logits, masks, reduction="none")
        p = logits.sigmoid()
        intersection = (p * masks * weight).sum((1, 2, 3))
        union = ((p + masks) * weight).sum((1, 2, 3)) - intersection
        return ((weight * bce).sum((1, 2, 3)) / weight.sum((1, 2, 3)),
                1 - (intersection + 1) / (union + 1))


def soft_iou_loss(p, masks):
    intersection = (p * masks).sum((1, 2, 3))
    union = p.sum((1, 2, 3)) + masks.sum((1, 2, 3)) - intersection
    return 1 - ((intersection + 1e-5) / (union + 1e-5)).mean()


def sobel_magnitude(t):
    """By slices: a convolution would round its inputs to TF32 on a GPU."""
    t = F.pad(t, (1, 1, 1, 1))
    rows = t[..., :-2, :] + 2 * t[..., 1:-1, :] + t[..., 2:, :]
    columns = t[..., :-2] + 2 * t[..., 1:-1] + t[..., 2:]
    x = rows[..., 2:] - rows[..., :-2]
    y = columns[..., 2:, :] - columns[..., :-2, :]
    return (x.square() + y.square() + 1e-5).sqrt()


def camoxpert_loss(logits, deep, auxiliary, masks, weights=(2.0, 1.5, 1.0), deep_weight=0.4):
    """The total, and its parts before their weights: bce, iou, edge, deep."""
    with torch.autocast(logits.device.type, enabled=False):
        logits = logits.float() if logits.dtype != torch.double else logits
        p = logits.sigmoid()
        bce = F.binary_cross_entropy_with_logits(logits, masks)
        iou = soft_iou_loss(p, masks)
        edge = F.mse_loss(sobel_magnitude(p), sobel_magnitude(masks))
        side = torch.zeros_like(bce)
        for head in deep:
            target = F.interpolate(masks, size=head.shape[2:], mode="bilinear")
            head_bce = F.binary_cross_entropy_with_logits(head.to(target.dtype), target)
            side = side + head_bce / len(deep)
        parts = {"bce": bce, "iou": iou, "edge": edge, "deep": side}
        weighted = [w * part for w, part in zip((*weights, deep_weight), parts.values())]
        return sum(weighted) + auxiliary, parts
