"""Google Grain: a MapDataset over the list, OpenCV in its read threads (its default)."""

import peer

given = peer.parse()

import grain  # noqa: E402

from opencv_item import OpenCvItem  # noqa: E402

data = grain.MapDataset.source(given.items).map(OpenCvItem(given)).batch(given.batch)
batches = data.to_iter_dataset(grain.ReadOptions(num_threads=peer.WORKERS, prefetch_buffer_size=4))
peer.measure(given, batches, lambda batch: batch[0])
