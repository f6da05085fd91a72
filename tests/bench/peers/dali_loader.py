"""NVIDIA DALI with CPU operators only. --variant antialiased (its default) or not-antialiased."""

import peer

given = peer.parse()

import numpy as np  # noqa: E402
from nvidia.dali import fn, pipeline_def, types  # noqa: E402

SCALED = {
    "resize_x": given.side,
    "resize_y": given.side,
    "interp_type": types.INTERP_LINEAR,
    "antialias": given.variant != "not-antialiased",
}
PIPELINE = {"batch_size": given.batch, "num_threads": peer.WORKERS, "device_id": None, "seed": 1}


@pipeline_def(**PIPELINE)
def classification():
    encoded, _ = fn.readers.file(files=given.items, name="images")
    part = fn.decoders.image_random_crop(
        encoded, random_area=peer.SCALE, random_aspect_ratio=peer.RATIO
    )
    return fn.flip(fn.resize(part, **SCALED), horizontal=fn.random.coin_flip(probability=0.5))


@pipeline_def(**PIPELINE)
def segmentation():
    images, _ = fn.readers.file(files=[image for image, _ in given.items], name="images")
    masks, _ = fn.readers.file(files=[mask for _, mask in given.items], name="masks")
    mirrored = fn.random.coin_flip(probability=0.5)
    image = fn.resize(fn.decoders.image(images), **SCALED)
    mask = fn.resize(
        fn.decoders.image(masks, output_type=types.GRAY),
        resize_x=given.side,
        resize_y=given.side,
        interp_type=types.INTERP_NN,
    )
    return fn.flip(image, horizontal=mirrored), fn.flip(mask, horizontal=mirrored)


def batches():
    pipeline = segmentation() if given.segmentation else classification()
    pipeline.build()
    for _ in range(len(given.items) // given.batch):
        yield [np.from_dlpack(output.as_tensor()) for output in pipeline.run()]


peer.measure(given, batches(), lambda batch: batch[0])
