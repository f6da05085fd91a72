#!/usr/bin/env python3
"""Compares flowtrain's networks with Python references on the same weights and input.

network_parity.py DUMP GROUP    DUMP is the program network_dump, GROUP one of GROUPS below
A line a case, in eval mode and in training mode without dropout; exit 1 where a limit is passed.

values: the largest absolute difference of features, logits, side logits, losses and batch norm's
running statistics; where a reference tensor's largest magnitude is above 1, in units of that.
gradients: the norm of a tensor's difference over the norm of the reference's, the worst tensor. A
norm counts as at least a share of the whole gradient's: that of a bias before a batch norm is 0 but
for rounding. An expert that no image chose may have no gradient there, and has a zero one here.
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import timm
import torch
import torchvision
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

from camoxpert import CamoXpert
from losses import camoxpert_loss, structure_loss


def limits_of(network, dtype):
    """Of values, of gradients, and the share of the whole gradient's norm."""
    if dtype == torch.float32:
        return 1e-4, 1e-3, 1e-3
    # timm computes its position encoding in float, whatever the weights are.
    return (1e-6, 1e-5, 1e-5) if network.startswith("edgenext") else (1e-10, 1e-9, 1e-5)


VARIANTS = ["edgenext_xx_small", "edgenext_x_small", "edgenext_small", "edgenext_base"]


def case(network, batch=2, size=(64, 96), dtype=torch.float32, channels_last=True, **options):
    return dict(network=network, channels_last=channels_last, **options), batch, size, dtype


def camoxpert(**options):
    return case("camoxpert", **{"backbone": "edgenext_xx_small", "loss": "camoxpert", **options})


def classifiers(network, **options):
    return [case(network, classes=10, batch=3, **options),
            case(network, classes=7, batch=2, size=(97, 129), channels_last=False, **options),
            case(network, classes=10, dtype=torch.float64, **options)]


GROUPS = {
    "edgenext":
        [case("edgenext", variant=variant) for variant in VARIANTS] +
        [case("edgenext", variant="edgenext_small", size=(97, 129), batch=3, channels_last=False)] +
        [case("edgenext", variant=variant, dtype=torch.float64) for variant in VARIANTS] +
        [case("edgenext_classifier", variant=variant, classes=1000) for variant in VARIANTS[:3]] +
        classifiers("edgenext_classifier", variant="edgenext_base"),
    "resnet50": classifiers("resnet50"),
    "camoxpert": [
        camoxpert(backbone="edgenext_base"),
        camoxpert(backbone="edgenext_base", size=(97, 129), batch=3, top_k=1),
        camoxpert(attention="standard", size=(97, 129), batch=3),
        camoxpert(top_k=7, z_weight=1e-3, channels_last=False),
        camoxpert(top_k=2, experts=["edge", "texture", "contrast"], batch=1, loss="structure"),
        camoxpert(backbone="edgenext_x_small", top_k=7, dtype=torch.float64),
        camoxpert(encoder="sdta", backbone="edgenext_base", size=(97, 129), batch=3),
        camoxpert(encoder="sdta", attention="standard", backbone="edgenext_base", top_k=1),
        camoxpert(encoder="sdta", backbone="edgenext_x_small", top_k=7, loss="structure"),
        camoxpert(encoder="sdta", attention="standard", top_k=7, size=(97, 129), batch=3),
        camoxpert(encoder="sdta", size=(97, 129), batch=3, dtype=torch.float64),
        camoxpert(encoder="sdta", attention="standard", top_k=7, dtype=torch.float64),
    ],
}


def make_model(network, channels_last, loss=None, **options):
    if network == "camoxpert":
        return CamoXpert(**options)
    if network == "resnet50":
        return torchvision.models.resnet50(num_classes=options["classes"])
    if network == "edgenext":
        return timm.create_model(options["variant"], features_only=True)
    return timm.create_model(options["variant"], num_classes=options["classes"])


@torch.no_grad()
def randomise(model):
    """Values at which each part matters: layer scales start at 1e-6 and would hide their branch."""
    for name, tensor in model.state_dict().items():
        leaf = name.rsplit(".", 1)[-1]
        noise = torch.randn(tensor.shape)
        if leaf == "num_batches_tracked" or leaf.endswith("_base"):
            continue
        if leaf == "running_var":
            tensor.copy_(0.5 + noise.abs())
        elif leaf.startswith("gamma"):
            tensor.copy_(0.5 + 0.1 * noise)
        elif leaf == "temperature" or (leaf == "weight" and tensor.dim() == 1):
            tensor.copy_(1 + 0.1 * noise)
        elif leaf == "weight":
            # Routers far from ties, so that rounding sends no image to another expert.
            scale = 20 if name.endswith("gate.1.weight") else 1
            tensor.copy_(scale * noise / math.sqrt(tensor[0].numel()))
        else:
            tensor.copy_(0.1 * noise)
    for module in model.modules():
        # A rectifier follows: outputs around 1 (a quarter of the channels: -1) with deviation 0.3
        # are rarely so close to 0 that rounding switches one and so moves the gradient.
        if isinstance(module, nn.BatchNorm2d):
            module.weight *= 0.3
            module.bias += 1
            module.bias[::4] -= 2


def make_input(model, options, batch, size, dtype):
    tint = torch.randn(batch, 3, 1, 1)  # so that images go to different experts
    made = {"images": torch.randn(batch, 3, *size) + tint}
    if options["network"] == "camoxpert":
        made["masks"] = (F.avg_pool2d(torch.randn(batch, 1, *size), 9, 1, 4) > 0.05).float()
    elif "classes" in options:
        made["targets"] = torch.rand(batch, options["classes"]).softmax(1)
    else:
        with torch.no_grad():
            features = model(made["images"])
        made.update((f"cotangent.{i}", torch.randn(f.shape)) for i, f in enumerate(features))
    return {name: tensor.to(dtype) for name, tensor in made.items()}


def forward(model, options, given):
    """The loss and what network_dump writes beside it."""
    if options["network"] == "edgenext":
        features = model(given["images"])
        values = {f"features.{i}": feature for i, feature in enumerate(features)}
        return sum((f * given[f"cotangent.{i}"]).sum() for i, f in enumerate(features)), values
    if options["network"] != "camoxpert":
        logits = model(given["images"])
        return F.cross_entropy(logits, given["targets"], label_smoothing=0.1), {"logits": logits}
    logits, deep, auxiliary, routing = model(given["images"])
    values = {"logits": logits, "auxiliary": auxiliary}
    values.update((f"deep.{i}", head) for i, head in enumerate(deep))
    values.update((f"routing.{i}", indices) for i, indices in enumerate(routing))
    if options["loss"] == "structure":
        return sum(structure_loss(logits, given["masks"])).mean() + auxiliary, values
    loss, parts = camoxpert_loss(logits, deep, auxiliary, given["masks"])
    values.update((f"loss.{name}", part) for name, part in parts.items())
    return loss, values


def run_reference(model, options, given):
    found = {}

    def run(mode):
        loss, values = forward(model, options, given)
        found.update({f"{mode}.{name}": value.detach() for name, value in values.items()})
        found[f"{mode}.loss"] = loss.detach()
        return loss

    model.eval()
    with torch.no_grad():
        run("eval")
    model.train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.eval()
    run("train").backward()
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        found["grad." + name] = torch.zeros_like(parameter) if gradient is None else gradient
    found.update(("buffer." + name, buffer) for name, buffer in model.named_buffers())
    return found


def value_difference(ours, theirs):
    if not theirs.is_floating_point():
        return 0.0 if torch.equal(ours, theirs) else math.inf
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1))


def compare(ours, theirs, share):
    """The worst (difference, name) of values and of gradients; NaN counts as worst."""
    gradients = {name for name in theirs if name.startswith("grad.")}
    absent = theirs.keys() - ours.keys()
    if ours.keys() - theirs.keys() or absent - gradients:
        sys.exit(f"network_dump wrote {sorted(ours.keys() ^ theirs.keys())[:5]} differently")
    whole = math.sqrt(sum(float(theirs[name].square().sum()) for name in gradients))
    values, relative = [], []
    for name, their in theirs.items():
        our = ours.get(name, torch.zeros_like(their))
        if our.shape != their.shape or our.dtype != their.dtype:
            sys.exit(f"{name}: {our.shape} {our.dtype}, the reference {their.shape} {their.dtype}")
        if name in gradients:
            norm = max(float(their.norm()), share * whole)
            relative.append((float((our - their).norm()) / norm, name[5:]))
        else:
            values.append((value_difference(our, their), name))
    return [max(found, key=lambda pair: math.inf if math.isnan(pair[0]) else pair[0])
            for found in (values, relative)]


def run_case(dump, options, batch, size, dtype):
    torch.manual_seed(1)
    model = make_model(**options)
    randomise(model)
    given = make_input(model, options, batch, size, dtype)
    model.to(dtype)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("options.json", "weights", "input", "output")]
        files[0].write_text(json.dumps(options))
        save_file(model.state_dict(), files[1])
        save_file(given, files[2])
        subprocess.run([dump, *files], check=True)
        ours = load_file(files[3])
    theirs = run_reference(model, options, given)
    return compare(ours, theirs, limits_of(options["network"], dtype)[2]), sum(name.startswith("grad.") for name in ours)


def main(dump, group):
    torch.set_num_threads(1)
    failed = 0
    for options, batch, size, dtype in GROUPS[group]:
        (value, gradient), tensors = run_case(dump, options, batch, size, dtype)
        limits = limits_of(options["network"], dtype)
        good = value[0] <= limits[0] and gradient[0] <= limits[1]
        failed += not good
        print(*(f"{name}={choice}" for name, choice in options.items()),
              f"input={batch}x{size[0]}x{size[1]}", str(dtype)[6:])
        print(f"  {'' if good else 'TOO LARGE: '}values {value[0]:.1e} ({value[1]}), gradients "
              f"{gradient[0]:.1e} ({gradient[1]}; {tensors} have one)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in GROUPS:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
