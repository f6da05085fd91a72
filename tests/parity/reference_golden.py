#!/usr/bin/env python3
"""Checks the Python reference itself: parameter counts, the experts', losses' and timm's backbone's
golden values, and where there are none (attention, dispatch) a plain loop. In float64, the golden
values with weights rounded to float."""
import sys

import timm
import torch

from camoxpert import CamoXpert, MoeLayer, make_backbone
from camoxpert_experts import Attention, make_expert
from losses import camoxpert_loss, structure_loss

COUNTS = {"edgenext_xx_small": (1327216, 160, 1157880, 156),
          "edgenext_x_small": (2336804, 214, 2143420, 210),
          "edgenext_small": (5586832, 214, 5281224, 210),
          "edgenext_base": (18511292, 214, 17925124, 210)}
EXPERTS = {  # mean, rms, first, last
    "texture": (.360165128, .984399139, -.145639311, -.331262916),
    "hybrid": (-.011771827, .729221379, .281741158, -.187261218),
    "frequency": (.275836923, .892634397, -.103953850, -.511541941),
    "edge": (.358987703, .974848392, -.123952063, .355312017),
    "semantic_context": (.273294664, .889257737, -.100421150, -.513515274),
    "contrast": (.370884666, 1.030527389, 1.698483076, .725510887)}
BACKBONE = [  # mean, standard deviation, first, last
    (.003462095, 1.002910389, .102594112, -1.600842800),
    (-.000344589, .088215384, .090122943, -.052302877),
    (.002636175, .327987843, .564421766, -.413384787),
    (.001279590, .395758589, .645307930, .404133171)]


def waves(count, step, amplitude=1.0, phase=0.0):
    return amplitude * torch.sin(step * torch.arange(count, dtype=torch.double) + phase)


def fill(model, amplitude, offset):
    for k, (name, tensor) in enumerate(model.state_dict().items()):
        if not name.endswith(("_base", "num_batches_tracked")):
            values = waves(tensor.numel(), 0.37, amplitude, 0.11 * k) + offset(name, tensor)
            tensor.copy_(values.view(tensor.shape))
    return model


def difference(found, expected):
    return max(abs(float(f) - e) for f, e in zip(found, expected))


def parameters(model):
    return sum(p.numel() for p in model.parameters())


def check_counts():
    for name, expected in COUNTS.items():
        found = ()
        for model in timm.create_model(name), timm.create_model(name, features_only=True):
            found += parameters(model), len(model.state_dict())
        assert found == expected, (name, found)
    network = CamoXpert()
    found = parameters(network), len(network.state_dict()), len(list(network.parameters()))
    assert found == (30954585, 785, 746), found
    return 0.0


def check_experts():
    def offset(name, tensor):
        return float(tensor.dim() == 1 and name.endswith("weight"))

    x = waves(2 * 16 * 12 * 10, 0.013).view(2, 16, 12, 10)
    worst = 0.0
    for name, expected in EXPERTS.items():
        expert = fill(make_expert(name, 16, "linear"), 0.1, offset).double()
        for layout in (torch.contiguous_format, torch.channels_last):
            y = expert(x.contiguous(memory_format=layout)).contiguous()
            found = y.mean(), y.square().mean().sqrt(), y.flatten()[0], y.flatten()[-1]
            worst = max(worst, difference(found, expected))
    return worst


def check_backbone():
    def offset(name, tensor):
        norm = name.endswith(("norm.weight", "norm_xca.weight", "downsample.0.weight"))
        one = norm or name == "stem_1.weight" or name.endswith("temperature")
        return 0.5 if "gamma" in name else float(one)

    x = waves(3 * 64 * 64, 0.013).float().double().view(1, 3, 64, 64)
    worst = 0.0
    for make in make_backbone, lambda name: timm.create_model(name, features_only=True):
        network = fill(make("edgenext_base"), 0.02, offset).double()
        for y, expected in zip(network(x), BACKBONE):
            found = y.mean(), y.std(), y.flatten()[0], y.flatten()[-1]
            worst = max(worst, difference(found, expected))
    return worst


def check_losses():
    logits = waves(2 * 40 * 48, 0.05, 3).view(2, 1, 40, 48)
    masks = torch.zeros_like(logits)
    masks[0, 0, 10:30, 12:33] = 1
    bce, iou = structure_loss(logits, masks)
    _, parts = camoxpert_loss(logits, [], 0, masks)
    return difference((*bce, *iou, (bce + iou).mean(), parts["bce"], parts["iou"], parts["edge"]),
                      (1.1258646351, 1.1579122698, .7083185908, .9989683611, 1.9955319284,
                       1.1514379048, .9075625381, 3.9247709704))


def check_linear_attention():
    q, k, v = torch.randn(3, 2, 4, 50, 6, dtype=torch.double)
    scores = (torch.nn.functional.elu(q) + 1) @ (torch.nn.functional.elu(k) + 1).mT
    expected = scores @ v / (scores.sum(-1, keepdim=True) + 1e-6)
    return float((Attention.linear(q, k, v) - expected).abs().max())


def check_dispatch():
    layer = MoeLayer(16, list(EXPERTS), "linear", 2, 0.01, 0).double()
    x = torch.randn(5, 16, 9, 7, dtype=torch.double) + torch.randn(5, 16, 1, 1)
    mixed, _, indices = layer(x)
    chosen = layer.gate(x).flatten(1).gather(1, indices).softmax(1)
    expected = torch.cat([sum(w * layer.experts[e](image[None]) for w, e in zip(weights, experts))
                          for image, weights, experts in zip(x, chosen, indices.tolist())])
    return float((mixed - expected).abs().max())


@torch.no_grad()
def main():
    torch.manual_seed(1)
    failed = 0
    for check, limit in ((check_counts, 0), (check_experts, 1e-9), (check_backbone, 1e-9),
                         (check_losses, 1e-9), (check_linear_attention, 1e-12),
                         (check_dispatch, 1e-12)):
        worst = check()
        print(f"{check.__name__[6:]}: largest difference {worst:.1e}")
        failed += not worst <= limit
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
