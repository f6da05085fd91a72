#!/usr/bin/env python3
"""Compares flowtrain's segmentation metrics with PySODMetrics over random pairs, each image and the set.

metrics_parity.py DUMP [--pairs 200] [--seed 1]
DUMP is the program metrics_dump. Needs `pip install pysodmetrics`. Prints the largest difference of
every metric; exit 1 where one is above 1e-9.

Two cases differ on purpose; both are counted and printed. PySODMetrics gives NaN as S-measure where the
foreground's centroid lies on the last row or column (a quadrant without pixels): here that quadrant adds
its weight, 0. And it scores a quadrant whose prediction and mask are constant 1 or 0 by how the mean of
equal numbers rounds: here 1.
"""
import argparse
import json
import subprocess
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")  # its means over quadrants without pixels
import py_sod_metrics as sod  # noqa: E402

TOLERANCE = 1e-9


def blob(rng, height, width):
    """A smooth random field: objects as masks have them."""
    y, x = np.mgrid[0:height, 0:width]
    field = np.zeros((height, width))
    for _ in range(rng.integers(1, 6)):
        cy, cx = rng.uniform(-0.1, 1.1, 2) * (height, width)
        ry, rx = rng.uniform(0.05, 0.4, 2) * (height, width) + 0.5
        field = np.maximum(field, np.exp(-(((y - cy) / ry) ** 2 + ((x - cx) / rx) ** 2)))
    return field


def make_mask(rng, height, width):
    kind = rng.choice(["blob", "noise", "sparse", "dense", "pixel", "line", "empty", "full", "gray"],
                      p=[.4, .12, .1, .08, .05, .05, .05, .05, .1])
    mask = np.zeros((height, width), np.uint8)
    if kind == "blob":
        mask[blob(rng, height, width) > rng.uniform(.2, .8)] = 255
    elif kind == "noise":
        mask[rng.random((height, width)) < .5] = 255
    elif kind == "sparse":
        mask[rng.random((height, width)) < .003] = 255
    elif kind == "dense":
        mask[rng.random((height, width)) < .98] = 255
    elif kind == "pixel":
        mask[rng.integers(height), rng.integers(width)] = 255
    elif kind == "line":
        mask[rng.integers(height)] = 255
    elif kind == "full":
        mask[:] = 255
    elif kind == "gray":
        mask = rng.integers(120, 137, (height, width)).astype(np.uint8)
    return mask


def make_prediction(rng, mask):
    height, width = mask.shape
    kind = rng.choice(["close", "noise", "few", "blob", "constant", "same", "inverse", "narrow"],
                      p=[.35, .15, .1, .15, .05, .05, .05, .1])
    if kind == "close":
        field = .7 * (mask / 255.) + .3 * blob(rng, height, width) + rng.normal(0, .15, mask.shape)
        return (np.clip(field, 0, 1) * 255).round().astype(np.uint8)
    if kind == "noise":
        return rng.integers(0, 256, mask.shape).astype(np.uint8)
    if kind == "few":
        return rng.choice(rng.integers(0, 256, 3), mask.shape).astype(np.uint8)
    if kind == "blob":
        return (blob(rng, height, width) * 255).astype(np.uint8)
    if kind == "constant":
        return np.full(mask.shape, rng.integers(0, 256), np.uint8)
    if kind == "narrow":
        return rng.integers(100, 131, mask.shape).astype(np.uint8)
    return mask.copy() if kind == "same" else 255 - mask


def make_pairs(count, seed):
    rng = np.random.default_rng(seed)
    for i in range(count):
        size = rng.integers(1, 12, 2) if i % 4 == 0 else rng.integers(12, 160, 2)
        if i % 25 == 24:
            size = rng.integers(250, 420, 2)
        mask = make_mask(rng, *size)
        yield make_prediction(rng, mask), mask


class Reference:
    """One image, or all of a set, scored by PySODMetrics."""

    def __init__(self):
        self.mae, self.s, self.e, self.wf = sod.MAE(), sod.Smeasure(), sod.Emeasure(), sod.WeightedFmeasure()
        self.f = sod.Fmeasure()
        plain = dict(with_dynamic=False, with_adaptive=False, with_binary=True)
        self.overlap = sod.FmeasureV2({
            "iou": sod.IOUHandler(**plain, sample_based=True),
            "dice": sod.DICEHandler(**plain, sample_based=True),
            "pooled_iou": sod.IOUHandler(**plain, sample_based=False),
            "pooled_dice": sod.DICEHandler(**plain, sample_based=False)})

    def add(self, prediction, mask):
        for measure in (self.mae, self.s, self.e, self.wf, self.f, self.overlap):
            measure.step(prediction, mask)

    def result(self):
        f, e = self.f.get_results()["fm"], self.e.get_results()["em"]
        values = {"mae": self.mae.get_results()["mae"], "s": self.s.get_results()["sm"],
                  "wf": self.wf.get_results()["wfm"], "f_curve": f["curve"], "e_curve": e["curve"],
                  "adaptive_f": f["adp"], "mean_f": f["curve"].mean(), "max_f": f["curve"].max(),
                  "adaptive_e": e["adp"], "mean_e": e["curve"].mean(), "max_e": e["curve"].max()}
        for name, value in self.overlap.get_results().items():
            values[name] = value["binary"]
        return {name: np.asarray(value, float) for name, value in values.items()}


def has_undefined_quadrant(prediction, mask):
    """Whether a quadrant's S-measure is left to NaN or to rounding."""
    foreground = mask > 128
    if not foreground.any() or foreground.all():
        return False
    y, x = np.argwhere(foreground).mean(axis=0).round().astype(int) + 1
    for rows in (slice(0, y), slice(y, None)):
        for columns in (slice(0, x), slice(x, None)):
            p, g = prediction[rows, columns], foreground[rows, columns]
            if p.size == 0 or (p.min() == p.max() and g.min() == g.max()):
                return True
    return False


def difference(ours, theirs):
    """Relative above 1: the E-measure of a single pixel is 1 / EPS."""
    return float(np.max(np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))))


def compare(lines, pairs):
    worst = {}
    skipped = {"NaN": 0, "other value": 0}
    whole = Reference()
    defined = []
    started = time.perf_counter()
    for line, (prediction, mask) in zip(lines, pairs):
        reference = Reference()
        reference.add(prediction, mask)
        whole.add(prediction, mask)
        theirs = reference.result()
        undefined = has_undefined_quadrant(prediction, mask)
        for name, value in theirs.items():
            if name == "s" and undefined:
                assert 0 <= line["s"] <= 1, line["s"]
                if not np.isfinite(value):
                    skipped["NaN"] += 1
                    continue
                if difference(np.asarray(line["s"]), value) > TOLERANCE:
                    skipped["other value"] += 1
                    continue
            worst[name] = max(worst.get(name, 0), difference(np.asarray(line[name]), value))
        defined.append(line["s"])
    print(f"PySODMetrics: {2 * len(pairs) / (time.perf_counter() - started):.1f} images/s")
    theirs = whole.result()
    theirs["s"] = np.mean(defined)  # theirs has NaN
    for name, value in theirs.items():
        key = "set " + name
        worst[key] = difference(np.asarray(lines[-1][name]), value)
    return worst, skipped


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    pairs = list(make_pairs(arguments.pairs, arguments.seed))
    data = b"".join(np.array(mask.shape, np.int32).tobytes() + prediction.tobytes() + mask.tobytes()
                    for prediction, mask in pairs)
    started = time.perf_counter()
    text = subprocess.run([arguments.dump], input=data, stdout=subprocess.PIPE, check=True).stdout
    print(f"flowtrain: {len(pairs) / (time.perf_counter() - started):.1f} images/s, printing included")
    lines = [json.loads(line) for line in text.splitlines()]
    assert len(lines) == len(pairs) + 1, len(lines)
    worst, skipped = compare(lines, pairs)
    for name, value in worst.items():
        print(f"{name:16} {value:.3g}")
    print(f"S-measure of a quadrant without a defined value: {skipped['NaN']} NaN, "
          f"{skipped['other value']} of another value")
    print(f"largest difference over {len(pairs)} pairs: {max(worst.values()):.3g}")
    return 1 if max(worst.values()) > TOLERANCE else 0


if __name__ == "__main__":
    sys.exit(main())
