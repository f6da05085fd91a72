#!/usr/bin/env python3
"""Checks that one set of files gives the same batches, byte for byte, by whatever source it is read.

    check_sources.py --program flowtrain --graphs FOLDER [--cache FOLDER] CHECK

Exit: 0 the check holds, 1 not, 77 it can't be made on this machine. --cache keeps the set that the program makes for later checks.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import shutil
import sys
import tarfile
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "cli")]

import checks
import checks_imagenet100
import checks_same_files
from checks import require
from made_sources import FORMS, LONG, shards, write_csv
from program import Program, hashes, records

SAMPLES, BATCH, EPOCHS = 24, 4, 2


def graph(source, sink="monitor.null"):
    """Shuffled, augmented at random, and into a sink that drops it."""
    return {"name": "same", "seed": 7, "metrics": {"listen": ""},
            "stages": {"files": source | {"sampler": {"shuffle": True}}, "decode": {"type": "image.decode"},
                       "augment": {"type": "image.augment", "size": [48, 64], "ops": [{"op": "flip", "p": 0.5}, {"op": "jitter", "p": 0.5, "brightness": 0.2}]},
                       "staging": {"type": "staging", "batch": BATCH}, "sink": {"type": sink, "epochs": EPOCHS}},
            "edges": ["files -> decode -> augment -> staging -> sink"]}


def batches(program, name, source, *more, sink="monitor.null"):
    """The lines of --batch-hashes, sorted."""
    text, file = program.folder / (name + ".json"), program.folder / (name + ".hashes")
    text.write_text(json.dumps(graph(source, sink)))
    program.ok("run", text, "--out", program.folder / "runs" / name, "--batch-hashes", file, *more)
    lines = sorted(hashes(file))
    require(len(lines) == SAMPLES // BATCH * EPOCHS and len({line.split()[-1] for line in lines}) == len(lines), "%s: %s" % (name, lines))
    return lines


def require_same(program, sources):
    """Each source by name gives the same batches; with one thread and with three."""
    expected = None
    for name, source in sources.items():
        for threads in (1, 3) if expected is None or "shards" in name else (3,):
            found = batches(program, "%s-%d" % (name, threads), source, "--threads", threads)
            expected = expected or found
            require(found == expected, "%s with %d threads gives other batches than %s:\n%s\n%s" % (name, threads, next(iter(sources)), found, expected))
    print("%d sources, %d batches each, all the same: %s" % (len(sources), len(expected), ", ".join(sources)))


# Of each layout of images with masks that people have: its images, its masks, the half it is read as, and
# the root, which may be the set's folder or the one above.
LAYOUTS = {
    "cod10k": ("a/COD10K-v3/Train/Image", "a/COD10K-v3/Train/GT_Object", "train", "a/COD10K-v3"),
    "cod10k-above": ("b/COD10K-v3/Train/Image", "b/COD10K-v3/Train/GT_Object", "train", "b"),
    "cod10k-test": ("c/COD10K-v3/Test/Image", "c/COD10K-v3/Test/GT_Object", "test", "c/COD10K-v3"),
    "bundle": ("d/TrainDataset/Imgs", "d/TrainDataset/GT", "train", "d"),
    "bundle-itself": ("e/TrainValDataset/imgs", "e/TrainValDataset/gt", "train", "e/TrainValDataset"),
    "bundle-test": ("f/TestDataset/NC4K/Imgs", "f/TestDataset/NC4K/GT", "test", "f"),
    "camo": ("CAMO/Images/Train", "CAMO/GT", "train", "CAMO"),
    "camo-test": ("g/CAMO/Images/Test", "g/CAMO/GT", "test", "g"),
    "sets": ("h/Train/mine/Image", "h/Train/mine/Mask", "train", "h"),
    "sets-test": ("i/Test/mine/image", "i/Test/mine/mask", "test", "i"),
    "plain": ("plain/images", "plain/masks", "train", "plain"),
}


def _same_masks(program, train):
    """`train` has the images and masks that every source is made of."""
    stems = [image.stem for image in sorted((train / "Image").iterdir())[:SAMPLES]]

    def folders(images, masks):
        for name, source in ((images, "Image"), (masks, "GT_Object")):
            (program.folder / name).mkdir(parents=True)
            for stem in stems:
                shutil.copy(next((train / source).glob(stem + ".*")), program.folder / name)
            for stray in ("Thumbs.db", ".DS_Store", "._%s.jpg" % stems[0]):
                (program.folder / name / stray).write_bytes(b"no picture")

    sources = {}
    for name, (images, masks, split, root) in LAYOUTS.items():
        folders(images, masks)
        sources[name] = {"type": "data.segmentation", "root": str(program.folder / root), "split": split, "val_share": 0}
    rows = [("plain/images/%s.jpg" % stem, "plain/masks/%s.png" % stem) for stem in stems]
    for name, form in (("list.csv", {"quoting": csv.QUOTE_ALL}), ("list.tsv", {"delimiter": "\t"})):
        write_csv(program.folder / name, [("image", "mask")] + rows, **form)
    (program.folder / "list.jsonl").write_text("".join(json.dumps({"mask": mask, "image": image}) + "\n" for image, mask in rows))
    for name in ("list.csv", "list.tsv", "list.jsonl"):
        sources[name] = {"type": "data.list", "file": str(program.folder / name), "target": "mask"}
    for name, form in FORMS.items():
        samples = [((LONG if name != "ustar" else "d/") + stem, {"jpg": (program.folder / image).read_bytes(), "png": (program.folder / mask).read_bytes()})
                   for stem, (image, mask) in zip(stems, rows)]
        sources["shards-" + name] = {"type": "data.webdataset", "shards": shards(program.folder / name, samples, form), "target": "mask"}
    require_same(program, sources)
    # Another mask for one image is seen.
    write_csv(program.folder / "other.csv", [("image", "mask")] + rows[:-1] + [(rows[-1][0], rows[0][1])])
    other = batches(program, "other", {"type": "data.list", "file": str(program.folder / "other.csv"), "target": "mask"})
    require(other != batches(program, "again", sources["plain"]), "a set with one other mask has the same hashes")


def images_with_masks_give_the_same_batches(program):
    _same_masks(program, program.builtin() / "Train")


def photographs_with_masks_give_the_same_batches(program):
    data = os.environ.get("FLOWTRAIN_TEST_DATA")
    if not data or not pathlib.Path(data, "davis/Train").is_dir():
        raise checks.Skipped("FLOWTRAIN_TEST_DATA names no folder with davis")
    _same_masks(program, pathlib.Path(data, "davis/Train"))


def _classes(program, classes, each):
    """An ImageNet of the built-in set's images, and (class, path) of each in order."""
    images, root, files = iter(sorted((program.builtin() / "Train/Image").iterdir())), program.folder / "imagenet", []
    for label in range(classes):
        folder = root / "train" / ("n%08d" % (label * 37))
        folder.mkdir(parents=True)
        for number in range(each):
            files.append((label, shutil.copy(next(images), folder / ("%s_%d.JPEG" % (folder.name, number)))))
    return root, files


def _same_as_shards(program, folders, listed, files):
    sources = {"folders": folders, "list": listed}
    for name, form in FORMS.items():
        samples = [((LONG if name != "ustar" else "") + pathlib.Path(path).stem, {"jpg": pathlib.Path(path).read_bytes(), "cls": b"%d" % label})
                   for label, path in files]
        sources["shards-" + name] = {"type": "data.webdataset", "shards": shards(program.folder / name, samples, form, 3), "target": "label"}
    require_same(program, sources)


def images_with_labels_give_the_same_batches(program):
    root, files = _classes(program, 4, SAMPLES // 4)
    write_csv(program.folder / "list.csv", [("label", "image")] + [(label, pathlib.Path(path).relative_to(program.folder)) for label, path in files])
    _same_as_shards(program, {"type": "data.classification", "root": str(root), "val_share": 0},
                    {"type": "data.list", "file": str(program.folder / "list.csv"), "target": "label"}, files)


def a_drawn_subset_gives_the_same_batches(program):
    """The list of what was drawn is all that is needed to have the same again, as a list or as shards."""
    root, _ = _classes(program, 10, 8)
    drawn = {"type": "data.classification", "root": str(root), "val_share": 0, "classes": 6, "per_class": SAMPLES // 6}
    program.cache = program.folder / "cache"
    program.cache.mkdir()
    batches(program, "draw", drawn)
    found = list((program.cache / "subsets").glob("*.tsv"))
    require(len(found) == 1, "one list was expected: %s" % found)
    with found[0].open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    require(sorted({int(row["label"]) for row in rows}) == list(range(6)), "labels: %s" % rows)
    _same_as_shards(program, drawn, {"type": "data.list", "file": str(found[0]), "root": str(root), "target": "label"},
                    [(int(row["label"]), root / row["image"]) for row in rows])


def runs_that_index_the_same_shards_at_once_agree(program):
    """Four of them, in an empty cache folder; a damaged index afterwards is made anew."""
    _, files = _classes(program, 4, SAMPLES // 4)
    program.cache = program.folder / "cache"
    program.cache.mkdir()
    samples = [(pathlib.Path(path).stem, {"jpg": pathlib.Path(path).read_bytes(), "cls": b"%d" % label}) for label, path in files]
    source = {"type": "data.webdataset", "shards": shards(program.folder / "shards", samples, tarfile.USTAR_FORMAT, 6), "target": "label"}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda number: batches(program, "run-%d" % number, source), range(4)))
    kept = sorted((program.cache / "shards").iterdir())
    require(len(kept) == 6 and all(path.suffix == ".index" for path in kept), "left in the cache: %s" % kept)
    for path in kept:
        path.write_bytes(path.read_bytes()[:-9])
    found.append(batches(program, "again", source))
    require(all(lines == found[0] for lines in found), "the runs differ: %s" % found)
    print("4 runs at once and one after damage, %d batches each, all the same; 6 indices" % len(found[0]))


def a_resumed_run_over_shards_has_just_the_batches_due(program):
    """Stopped by Ctrl-C, and gone on with after the index was lost."""
    _, files = _classes(program, 4, SAMPLES // 4)
    samples = [(pathlib.Path(path).stem, {"jpg": pathlib.Path(path).read_bytes(), "cls": b"%d" % label}) for label, path in files]
    source = {"type": "data.webdataset", "shards": shards(program.folder / "shards", samples, tarfile.PAX_FORMAT, 3), "target": "label"}
    program.cache = program.folder / "cache"
    program.cache.mkdir()
    steps = ("--plugin-path", program.plugins / "steps")
    due = batches(program, "whole", source, *steps, sink="steps.sink")
    program.runs = program.folder / "runs/parts"
    command = ["run", program.folder / "whole.json", "--out", program.runs, "--batch-hashes", program.folder / "parts", *steps]
    with program.start(*command, "--set", "/stages/sink/pause=0.5") as running:
        running.wait_until(lambda: any(len(records(folder, "train")) >= 2 for folder in program.runs.glob("*")), "two steps are done")
        running.signal()
        code, output = running.end(10)
    taken = len(hashes(program.folder / "parts"))
    require(code == 130 and 0 < taken < len(due), "exit %d with %d of %d batches\n%s" % (code, taken, len(due), output))
    shutil.rmtree(program.cache / "shards")
    program.ok(*command, "--resume", program.run_folder())
    found = sorted(hashes(program.folder / "parts"))
    require(found == due, "the parts together have other batches:\n%s\n%s" % (found, due))
    print("%d batches and %d, each once" % (taken, len(due) - taken))


def a_cache_that_cannot_be_made_costs_a_line(program):
    """And one that XDG_CACHE_HOME names relative to the current folder is none: HOME's is used."""
    _, files = _classes(program, 4, SAMPLES // 4)
    samples = [(pathlib.Path(path).stem, {"jpg": pathlib.Path(path).read_bytes(), "cls": b"%d" % label}) for label, path in files]
    source = {"type": "data.webdataset", "shards": shards(program.folder / "shards", samples, tarfile.USTAR_FORMAT, 3), "target": "label"}
    (program.folder / "same.json").write_text(json.dumps(graph(source)))
    home = program.folder / "home"

    def run(**env):
        return program.ok("run", program.folder / "same.json", "--out", program.folder / "runs", **env)
    output = run(FLOWTRAIN_CACHE="", XDG_CACHE_HOME="relative", HOME=home)
    require(len(list((home / ".cache/flowtrain/shards").glob("*.index"))) == 3 and "not kept" not in output, "no index under HOME:\n" + output)
    require(not list(program.folder.rglob("relative")), "the relative folder was made")
    output = run(FLOWTRAIN_CACHE="/proc/none")
    said = [line for line in output.splitlines() if "/proc/none" in line]
    require(len(said) == 1 and "the index is not kept, each run makes it anew: can't make the cache folder /proc/none" in said[0], "said: %s\n%s" % (said, output))
    print("3 indices under HOME; " + said[0])


def main():
    by_name = {check.__name__: check for check in (images_with_masks_give_the_same_batches, photographs_with_masks_give_the_same_batches,
                                                   images_with_labels_give_the_same_batches,
                                                   a_drawn_subset_gives_the_same_batches,
                                                   runs_that_index_the_same_shards_at_once_agree,
                                                   a_resumed_run_over_shards_has_just_the_batches_due,
                                                   a_cache_that_cannot_be_made_costs_a_line)}
    by_name |= checks.checks_of(checks_imagenet100, checks_same_files)
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--graphs", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--plugins", type=lambda path: pathlib.Path(path).resolve(), help="the test tree's own, one folder each")
    parser.add_argument("check", choices=sorted(by_name))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flowtrain-data-") as folder:
        cache = (options.cache or pathlib.Path(folder, "cache")).resolve()
        cache.mkdir(parents=True, exist_ok=True)
        program = Program(options.program, options.graphs.resolve(), cache, folder)
        program.plugins = options.plugins
        return checks.run(options.check, lambda: by_name[options.check](program))


if __name__ == "__main__":
    sys.exit(main())
