"""Each loader's resampler on whole pictures: PSNR against Pillow's antialiased one, and time.

resamplers.py LIBRESAMPLE_C SIDE PICTURES... prints a JSON object: by resampler the median and the
least PSNR in dB over the pictures, and milliseconds of CPU time a picture, one thread, by turns,
the median of the rounds. What is not installed is left out.
"""

import ctypes
import json
import statistics
import sys
import time

import numpy as np
from PIL import Image

AT_ONCE = 16
ROUNDS = 9


def ours(library, side, antialias):
    resample = ctypes.CDLL(library).resample_rgb
    resample.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_int,
    ]
    resample.restype = None

    def run(pictures):
        outputs = []
        for picture in pictures:
            output = np.empty((side, side, 3), np.uint8)
            height, width, _ = picture.shape
            resample(picture.ctypes.data, height, width, output.ctypes.data, side, side, antialias)
            outputs.append(output)
        return outputs

    return lambda picture: picture, run, lambda output: output


def pillow(side):
    return (
        Image.fromarray,
        lambda pictures: [p.resize((side, side), Image.BILINEAR) for p in pictures],
        np.asarray,
    )


def opencv(side, name):
    import cv2

    cv2.setNumThreads(1)
    how = getattr(cv2, name)
    return (
        lambda picture: picture,
        lambda pictures: [cv2.resize(p, (side, side), interpolation=how) for p in pictures],
        lambda output: output,
    )


def torchvision(side, antialias):
    import torch
    from torchvision.transforms.v2 import functional as F

    torch.set_num_threads(1)
    return (
        lambda picture: torch.from_numpy(picture).permute(2, 0, 1).contiguous(),
        lambda pictures: [F.resize(p, [side, side], antialias=antialias) for p in pictures],
        lambda output: output.permute(1, 2, 0).numpy(),
    )


def dali(side, antialias):
    from nvidia.dali import fn, pipeline_def, types

    @pipeline_def(batch_size=AT_ONCE, num_threads=1, device_id=None, prefetch_queue_depth=1)
    def scaled():
        pictures = fn.external_source(name="pictures", no_copy=True)
        return fn.resize(
            pictures,
            resize_x=side,
            resize_y=side,
            interp_type=types.INTERP_LINEAR,
            antialias=antialias,
        )

    pipeline = scaled()
    pipeline.build()

    def run(pictures):
        pipeline.feed_input("pictures", pictures)
        (output,) = pipeline.run()
        return [np.array(output.at(i)) for i in range(len(pictures))]

    return lambda picture: picture, run, lambda output: output


def psnr(a, b):
    error = np.mean((a.astype(np.float64) - b) ** 2)
    return 10 * np.log10(255**2 / error) if error else float("inf")


def main(library, side, *paths):
    side = int(side)
    pictures = [np.array(Image.open(path).convert("RGB")) for path in paths]
    makers = {
        "pillow": lambda: pillow(side),
        "ours antialiased": lambda: ours(library, side, 1),
        "ours": lambda: ours(library, side, 0),
        "opencv linear": lambda: opencv(side, "INTER_LINEAR"),
        "opencv area": lambda: opencv(side, "INTER_AREA"),
        "torchvision antialiased": lambda: torchvision(side, True),
        "torchvision": lambda: torchvision(side, False),
        "dali antialiased": lambda: dali(side, True),
        "dali": lambda: dali(side, False),
    }
    ways = {}
    for name, make in makers.items():
        try:
            ways[name] = make()
        except ImportError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
    groups = [(pictures * AT_ONCE)[i : i + AT_ONCE] for i in range(0, len(pictures), AT_ONCE)]
    inputs = {
        name: [[before(p) for p in group] for group in groups]
        for name, (before, _, _) in ways.items()
    }
    spent = {name: [] for name in ways}
    quality = {name: [] for name in ways}
    for round_ in range(ROUNDS + 1):
        took = dict.fromkeys(ways, 0.0)
        for g in range(len(groups)):
            for name, (_, run, after) in ways.items():
                before = time.process_time()
                outputs = run(inputs[name][g])
                took[name] += time.process_time() - before
                if round_ == 0:
                    outputs = [after(output) for output in outputs]
                    if name == "pillow":
                        reference = outputs
                    quality[name] += [psnr(*pair) for pair in zip(outputs, reference)]
        if round_ > 0:  # the first one warms up
            for name in ways:
                spent[name].append(1e3 * took[name] / (AT_ONCE * len(groups)))
    print(
        json.dumps(
            {
                name: {
                    "median_db": statistics.median(quality[name][: len(pictures)]),
                    "least_db": min(quality[name][: len(pictures)]),
                    "ms": statistics.median(spent[name]),
                }
                for name in ways
            }
        )
    )


main(*sys.argv[1:])
