"""What the loaders share: arguments, the list of files, and the window that is measured.

LOADER.py TASK LIST [--variant V]: LIST has an image a line, in segmentation its mask behind a tab.
classification: RandomResizedCrop(224), bilinear, mirrored by chance, batches of 64.
segmentation: image and mask to 352 x 352, bilinear and nearest, mirrored together, batches of 16.
Batches are uint8 NHWC, masks NHW. Two workers.
"""

import argparse
import json
import math
import os
import random
import time

from process_tree import cpu_seconds

SIDE = {"classification": 224, "segmentation": 352}
BATCH = {"classification": 64, "segmentation": 16}
# Batches before the window, so that workers, caches and queues are as they stay, and behind it, so
# that at both of its ends as much lies ready or half done.
WARM_UP = {"classification": 4, "segmentation": 8}
TAIL = WARM_UP
SCALE, RATIO = (0.08, 1.0), (3 / 4, 4 / 3)
WORKERS = 2


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=sorted(SIDE))
    parser.add_argument("list")
    parser.add_argument("--variant", default="")
    given = parser.parse_args()
    given.side, given.batch = SIDE[given.task], BATCH[given.task]
    given.segmentation = given.task == "segmentation"
    with open(given.list, encoding="utf-8") as file:
        lines = file.read().splitlines()
    given.items = [tuple(line.split("\t")) for line in lines] if given.segmentation else lines
    return given


def random_part(width, height):
    """x, y, width, height, drawn as torchvision's RandomResizedCrop does."""
    for _ in range(10):
        area = width * height * random.uniform(*SCALE)
        ratio = math.exp(random.uniform(*map(math.log, RATIO)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return random.randint(0, width - w), random.randint(0, height - h), w, h
    side = min(width, height)
    return (width - side) // 2, (height - side) // 2, side, side


def measure(given, batches, images_of):
    """Takes all batches; images_of(batch) are its images, NHWC. Prints FIRST when the first one is
    there, and at the end what the window took."""
    total = len(given.items) // given.batch
    begin, end = WARM_UP[given.task], total - TAIL[given.task]
    taken = images = 0
    for batch in batches:
        pixels = images_of(batch)
        if (
            pixels.shape[1:] != (given.side, given.side, 3)
            or str(pixels.dtype).split(".")[-1] != "uint8"
        ):
            raise ValueError(f"a batch of shape {tuple(pixels.shape)}, {pixels.dtype}")
        taken += 1
        if taken == 1:
            print("FIRST", flush=True)
        images += len(pixels) if begin < taken <= end else 0
        if taken in (begin, end):
            now = time.perf_counter(), cpu_seconds(os.getpid())
            if taken == begin:
                started = now
            else:
                stopped = now
    wall_s, cpu_s = (b - a for a, b in zip(started, stopped))
    print("RESULT " + json.dumps({"images": images, "wall_s": wall_s, "cpu_s": cpu_s}), flush=True)
