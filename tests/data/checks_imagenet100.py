"""Checks that graphs/imagenet100.json gives the same batches of one set, whatever source reads it.

The order of a set's samples is by class, then by name: class folders are read so, and lists and shards
are made so. One image is a PPM, of which a single pixel can be changed.
"""
import json
import os
import pathlib
import shutil

from checks import Skipped, require
from made_sources import FORMS, shards, write_csv
from program import hashes

_BATCH = 8


def _picture(changed=False):
    width, height = 240, 200
    pixels = bytearray((x * 3 + y * 5 + c * 40) % 256 for y in range(height) for x in range(width) for c in range(3))
    if changed:
        middle = (height // 2 * width + width // 2) * 3
        pixels[middle] ^= 128
    return b"P6 %d %d 255\n" % (width, height) + bytes(pixels)


def _folder_a_class(program, source, classes, each):
    """A copy of a part of `source`, with the PPM in its last class; gives its root and (label, class, path) in order."""
    root, samples = program.folder / "imagenet", []
    names = sorted(path.name for path in source.iterdir())
    for label, name in enumerate(names[:: max(1, len(names) // classes)][:classes]):
        folder = root / "train" / name
        folder.mkdir(parents=True)
        for image in sorted((source / name).iterdir())[:each]:
            shutil.copy(image, folder)
        if label == classes - 1:
            (folder / ("%s_x.JPEG" % name)).write_bytes(_picture())
        samples += [(label, name, path) for path in sorted(folder.iterdir())]
    return root, samples


def _sources(program, root, samples, name="", content=pathlib.Path.read_bytes):
    """The set as lists and as shards; `content` is of an image's path."""
    folder = program.folder / ("as" + name)
    folder.mkdir()
    rows = [(label, path.relative_to(root)) for label, _, path in samples]
    write_csv(folder / "list.csv", [("label", "image")] + rows)
    (folder / "list.jsonl").write_text("".join(json.dumps({"image": str(image), "label": label}) + "\n" for label, image in rows))
    packed = [("%s/%s" % (of_class, path.stem), {"jpg": content(path), "cls": b"%d" % label}) for label, of_class, path in samples]
    sources = {"list.csv": {"type": "data.list", "file": str(folder / "list.csv"), "root": str(root), "target": "label"},
               "list.jsonl": {"type": "data.list", "file": str(folder / "list.jsonl"), "root": str(root), "target": "label"}}
    for form in FORMS:
        sources["shards-" + form] = {"type": "data.webdataset", "shards": shards(folder / form, packed, FORMS[form], 3), "target": "label"}
    return sources


def _batches(program, name, source, count, workers):
    """The lines of --batch-hashes of the graph as it ships but for its sources and batch, sorted: both chains, two epochs of training."""
    file = program.folder / ("%s-%d.hashes" % (name, workers))
    values = {"/stages/files": json.dumps(source | {"sampler": {"shuffle": True}}), "/stages/val_files": json.dumps(source),
              "/stages/staging/batch": _BATCH, "/stages/val_staging/batch": _BATCH, "/stages/sink/epochs": 2, "/metrics/listen": ""}
    program.ok("run", program.graphs / "imagenet100.json", "--out", program.folder / "runs", "--threads", workers, "--batch-hashes", file,
               *(part for pointer, value in values.items() for part in ("--set", "%s=%s" % (pointer, value))))
    lines = sorted(hashes(file))
    due = 2 * (count // _BATCH) + (count + _BATCH - 1) // _BATCH
    require(len(lines) == due and len({line.split()[-1] for line in lines}) == due, "%s: %d lines, %d are due: %s" % (name, len(lines), due, lines))
    return lines


def _same_by_every_source(program, source, classes, each):
    root, samples = _folder_a_class(program, source, classes, each)
    # A draw of all: what a run of the real set goes through.
    sources = {"folders": {"type": "data.classification", "root": str(root), "val_share": 0, "classes": classes, "per_class": each + 1}}
    sources |= _sources(program, root, samples)
    expected = None
    for name, one in sources.items():
        for workers in (1, 4):
            found = _batches(program, name, one, len(samples), workers)
            expected = expected or found
            require(found == expected, "%s with %d workers gives other batches than folders:\n%s\n%s" % (name, workers, found, expected))

    # What differs in one label, or in one pixel, has other hashes.
    label = _sources(program, root, [samples[0], (classes - 1, *samples[1][1:]), *samples[2:]], "-label")["list.csv"]
    pixel = _sources(program, root, samples, "-pixel", lambda path: _picture(changed=True) if path.stem.endswith("_x") else path.read_bytes())
    for name, other in (("label", label), ("pixel", pixel["shards-ustar"])):
        differing = set(_batches(program, name, other, len(samples), 4)) - set(expected)
        # The sample is in one batch of each epoch, unless that one is the remainder, and in one of validation.
        require(1 <= len(differing) <= 3, "one other %s changes %d batches" % (name, len(differing)))
    print("%d samples by %d sources, %d batches each, all the same; one other label or pixel is seen" % (len(samples), len(sources), len(expected)))


def imagenet100_gives_the_same_batches_by_every_source(program):
    program.ok("run", program.graphs / "imagenet100.json", "--out", program.folder / "making", "--set", "/metrics/listen=")
    _same_by_every_source(program, program.cache / "classes-v1/train", 10, 4)


def imagenet100_gives_the_same_batches_of_photographs(program):
    data = os.environ.get("FLOWTRAIN_TEST_DATA")
    if not data or not pathlib.Path(data, "imagenet/train").is_dir():
        raise Skipped("FLOWTRAIN_TEST_DATA names no folder with imagenet")
    _same_by_every_source(program, pathlib.Path(data, "imagenet/train"), 36, 1)
