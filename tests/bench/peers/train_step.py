#!/usr/bin/env python3
"""Training steps in PyTorch, as fast as they plainly get: what flowtrain's own are held against.

train_step.py --network camoxpert|resnet50 [options], with the Python of deploy/setup --parity

One batch of random images stays on the device. camoxpert: its loss, fused AdamW, gradients clipped
to 0.5, EMA 0.999. resnet50: cross entropy with label smoothing, fused SGD with momentum. In bf16
autocast unless --precision says otherwise. --balanced replaces the routers' choice by equal shares
of the images (MoeLayer in tests/parity/camoxpert.py says how).

Prints one JSON line once it is warm, then one a block of steps: the median and the least of their
times on the device, and images a second by the median. With --wait a block begins when a line comes
on standard input, so that another program's blocks can take turns with these.
"""
import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import torch
import torchvision
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "parity"))
from camoxpert import CamoXpert  # noqa: E402
from losses import camoxpert_loss  # noqa: E402


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--network", choices=["camoxpert", "resnet50"], required=True)
    add("--backbone", default="edgenext_base", help="camoxpert's")
    add("--encoder", choices=["gate", "sdta"], default="gate")
    add("--attention", choices=["linear", "standard"], default="linear")
    add("--balanced", action="store_true")
    add("--size", type=int, help="side of the images; 352 for camoxpert, 224 for resnet50")
    add("--batch", type=int, help="32 for camoxpert, 64 for resnet50")
    add("--layout", choices=["nchw", "channels_last"], default="channels_last")
    add("--precision", choices=["bf16", "float32"], default="bf16")
    add("--cudnn-benchmark", action="store_true")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--warmup", type=int, default=20, help="steps before the first block")
    add("--blocks", type=int, default=5)
    add("--steps", type=int, default=20, help="of a block")
    add("--wait", action="store_true")
    given = parser.parse_args()
    given.size = given.size or (352 if given.network == "camoxpert" else 224)
    given.batch = given.batch or (32 if given.network == "camoxpert" else 64)
    return given


class Step:
    """What both networks share; a subclass makes the network and its optimizer."""

    def __init__(self, given, network):
        self.device = torch.device(given.device)
        self.bf16 = given.precision == "bf16"
        last = given.layout == "channels_last"
        self.layout = torch.channels_last if last else torch.contiguous_format
        self.network = network.to(self.device, memory_format=self.layout).train()
        self.parameters = list(network.parameters())
        images = torch.randn(given.batch, 3, given.size, given.size, device=self.device)
        # In the type that the network computes in, as an input pipeline delivers them.
        images = images.to(torch.bfloat16 if self.bf16 else torch.float32)
        self.images = images.contiguous(memory_format=self.layout)

    def autocast(self):
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)


class CamoXpertStep(Step):
    def __init__(self, given):
        network = CamoXpert(given.backbone, given.encoder, given.attention)
        for layer in network.moe_layers:
            layer.balanced = given.balanced
        super().__init__(given, network)
        self.optimizer = torch.optim.AdamW(self.parameters, 2.5e-4, weight_decay=1e-4, fused=True)
        self.state = [t for t in network.state_dict().values() if t.is_floating_point()]
        self.averages = [t.clone() for t in self.state]
        self.masks = (torch.rand(given.batch, 1, given.size, given.size, device=self.device) < 0.2)
        self.masks = self.masks.float()

    def __call__(self):
        self.optimizer.zero_grad()
        with self.autocast():
            logits, deep, auxiliary, _ = self.network(self.images)
        loss, _ = camoxpert_loss(logits, deep, auxiliary, self.masks)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 0.5, foreach=True)
        self.optimizer.step()
        torch._foreach_lerp_(self.averages, self.state, 0.001)
        return loss


class ResNet50Step(Step):
    def __init__(self, given):
        super().__init__(given, torchvision.models.resnet50())
        self.optimizer = torch.optim.SGD(self.parameters, 0.05, momentum=0.9, weight_decay=2e-5,
                                         fused=True)
        self.targets = torch.randint(1000, (given.batch,), device=self.device)

    def __call__(self):
        self.optimizer.zero_grad()
        with self.autocast():
            logits = self.network(self.images)
        loss = F.cross_entropy(logits.float(), self.targets, label_smoothing=0.1)
        loss.backward()
        self.optimizer.step()
        return loss


class Clock:
    """The device's time between marks, without waiting for it; on a CPU the host's."""

    def __init__(self, device):
        self.cuda = device.type == "cuda"

    def mark(self):
        if not self.cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def milliseconds(self, marks):
        if not self.cuda:
            return [1e3 * (end - begin) for begin, end in zip(marks, marks[1:])]
        torch.cuda.synchronize()
        return [begin.elapsed_time(end) for begin, end in zip(marks, marks[1:])]


def run_block(step, steps):
    clock = Clock(step.device)
    marks = [clock.mark()]
    for _ in range(steps):
        loss = step()
        marks.append(clock.mark())
    times = clock.milliseconds(marks)
    if not torch.isfinite(loss):
        sys.exit(f"the loss became {loss.item()}")
    median = statistics.median(times)
    return {"median_ms": round(median, 3), "min_ms": round(min(times), 3),
            "images_per_s": round(1e3 * len(step.images) / median, 2)}


def say(**line):
    print(json.dumps(line), flush=True)


def main():
    given = parse()
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = given.cudnn_benchmark
    step = {"camoxpert": CamoXpertStep, "resnet50": ResNet50Step}[given.network](given)
    if given.warmup:
        run_block(step, given.warmup)
    name = torch.cuda.get_device_name() if step.device.type == "cuda" else "cpu"
    say(**vars(given), ready=True, name=name, torch=torch.__version__,
        parameters=sum(p.numel() for p in step.parameters))
    for block in range(given.blocks):
        if given.wait and not sys.stdin.readline():
            break
        say(block=block, **run_block(step, given.steps))


if __name__ == "__main__":
    main()
