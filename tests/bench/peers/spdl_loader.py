"""SPDL's thread pipeline. --variant ffmpeg: its own decoder; crop, scale and mirror in FFmpeg's
filter graph (swscale's bilinear widens its filter where it shrinks: antialiased); opencv: OpenCV.
"""

import random

import peer

given = peer.parse()

import numpy as np  # noqa: E402
import spdl.io  # noqa: E402
from spdl.pipeline import PipelineBuilder  # noqa: E402


def ffmpeg_frame(path, cropped, scaling, mirrored, pixels):
    packets = spdl.io.demux_image(path)
    steps = []
    if cropped:
        x, y, w, h = peer.random_part(packets.width, packets.height)
        steps.append(f"crop={w}:{h}:{x}:{y}")
    steps.append(f"scale={given.side}:{given.side}:flags={scaling}")
    if mirrored:
        steps.append("hflip")
    steps.append(f"format=pix_fmts={pixels}")
    return spdl.io.decode_packets(packets, filter_desc=",".join(steps))


def with_ffmpeg(item):
    mirrored = random.random() < 0.5
    if not given.segmentation:
        return (ffmpeg_frame(item, True, "bilinear", mirrored, "rgb24"),)
    return (
        ffmpeg_frame(item[0], False, "bilinear", mirrored, "rgb24"),
        ffmpeg_frame(item[1], False, "neighbor", mirrored, "gray"),
    )


def collate(rows):
    columns = map(list, zip(*rows))
    if given.variant == "opencv":
        return [np.stack(column) for column in columns]
    return [spdl.io.to_numpy(spdl.io.convert_frames(column)) for column in columns]


if given.variant == "opencv":
    from opencv_item import OpenCvItem

    load = OpenCvItem(given)
else:
    load = with_ffmpeg

pipeline = (
    PipelineBuilder()
    .add_source(given.items)
    .pipe(load, concurrency=peer.WORKERS)
    .aggregate(given.batch)
    .pipe(collate)
    .add_sink(2)
    .build(num_threads=peer.WORKERS)
)
with pipeline.auto_stop():
    peer.measure(given, pipeline, lambda batch: batch[0])
