#!/usr/bin/env python3
"""Proves what the demo of graphs/cod10k.json claims, by running it, and prints one table at the end.

    prove_demo.py --program build/flowtrain --baselines build/tests-bin/builtin_baselines

1. No mask made without training scores well on `builtin:camouflage`; only the cue does.
2. The demo learns the set, for every seed.
3. The same recipe on a copy of the set where each training image has another image's mask learns
   nothing: it stays at or below the best mask that is the same for all pictures. Otherwise the score
   of 2 would not come from the images.

About 80 s a training on two cores. Exit: 0 all bounds hold, 1 one is broken or a part failed.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

GRAPH = pathlib.Path(__file__).resolve().parents[2] / "graphs" / "cod10k.json"
LEAST_DEMO, MOST_BASELINE, LEAST_CUE = 0.65, 0.30, 0.50


class Broken(Exception):
    pass


def baselines(program):
    """The highest score of each section of the baselines' table: (constant mask, other plain, cue)."""
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    print(done.stdout, flush=True)
    sections, title = {}, None
    for line in done.stdout.splitlines():
        row = re.match(r"  (\S.*\S)\s+(\d\.\d+)(  .*)?$", line)
        if row:
            sections.setdefault(title, {})[row[1]] = float(row[2])
        elif line:
            title = line
    constant, plain, cue = [], [], []
    for name, rows in sections.items():
        kind = constant if name == "one mask for all" else cue if name.startswith("the cue") else plain
        kind += rows.values()
    if not constant or not plain or not cue:
        raise Broken("%s (exit %d) printed a table without constant masks, other baselines or the cue"
                     % (program, done.returncode))
    return max(constant), max(plain), min(cue)


def cached_set():
    """Where flowtrain keeps the set, by its own rules."""
    own, xdg = os.environ.get("FLOWTRAIN_CACHE"), os.environ.get("XDG_CACHE_HOME")
    cache = own or (xdg and xdg.startswith("/") and xdg + "/flowtrain") or os.path.expanduser("~/.cache/flowtrain")
    return pathlib.Path(cache) / "camouflage-v1"


def shuffle_masks(source, target):
    """A copy of the set where training image i has the mask of image i + n/2; validation as it is."""
    shutil.copytree(source, target)
    masks = sorted((source / "Train" / "GT_Object").iterdir())
    for i, mask in enumerate(masks):
        other = masks[(i + len(masks) // 2) % len(masks)]
        if other.read_bytes() == mask.read_bytes():
            raise Broken("%s and %s are the same mask: nothing would be shuffled" % (mask, other))
        shutil.copyfile(other, target / "Train" / "GT_Object" / mask.name)
    return len(masks)


def train(options, folder, seed, root=None):
    """The best validation IoU of one run of the demo's recipe, and how many images it was tested on."""
    command = [options.program, "run", str(GRAPH), "--profile", "demo", "--seed", str(seed), "--out", str(folder)]
    if root:
        command += ["--set", "/stages/files/root=%s" % root, "--set", "/stages/val_files/root=%s" % root]
    if options.epochs:
        command += ["--set", "/stages/trainer/epochs=%d" % options.epochs]
    log = folder / "output.txt"
    folder.mkdir()
    start = time.monotonic()
    with open(log, "w") as out:
        code = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT).returncode
    if code:
        raise Broken("exit %d from: %s\n%s" % (code, " ".join(command), log.read_text()[-3000:]))
    records = [json.loads(line) for path in folder.glob("*/metrics.jsonl") for line in path.read_text().splitlines()]
    losses = [r["loss"] for r in records if r["kind"] == "train"]
    tested = [r for r in records if r["kind"] == "val"]
    if not tested or not losses:
        raise Broken("no loss or no validation in the metrics.jsonl of: " + " ".join(command))
    best = max(tested, key=lambda r: r["iou"])
    print("  seed %d: best validation IoU %.3f (epoch %d of %d, %d images), loss %.2f -> %.2f, %.0f s" % (
        seed, best["iou"], best["epoch"], len(tested), best["images"], losses[0], losses[-1],
        time.monotonic() - start), flush=True)
    return best["iou"], best["images"]


def prove(options, folder):
    """(what, IoU, bound as text, holds) for each claim."""
    constant, plain, cue = baselines(options.baselines)
    rows = [("best constant mask", constant, "<= %.2f" % MOST_BASELINE, constant <= MOST_BASELINE),
            ("best other baseline", plain, "<= %.2f" % MOST_BASELINE, plain <= MOST_BASELINE),
            ("the cue itself, weaker filter", cue, ">= %.2f" % LEAST_CUE, cue >= LEAST_CUE)]
    val_images = None
    if not options.skip_demo:
        print("the demo", flush=True)
        for seed in options.seeds:
            iou, val_images = train(options, folder / ("seed-%d" % seed), seed)
            rows.append(("demo, seed %d" % seed, iou, ">= %.2f" % LEAST_DEMO, iou >= LEAST_DEMO))
    if not options.skip_shuffled:
        source = cached_set()
        if not source.is_dir():
            raise Broken("%s is missing: run the demo once, which makes it" % source)
        count = shuffle_masks(source, folder / "shuffled")
        print("the same with the masks of %d training images shuffled" % count, flush=True)
        iou, images = train(options, folder / "shuffled-run", options.seeds[0], folder / "shuffled")
        if val_images not in (None, images):
            raise Broken("the shuffled copy has %d validation images, the demo %d" % (images, val_images))
        rows.append(("shuffled masks, seed %d" % options.seeds[0], iou, "<= %.3f" % constant, iou <= constant))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="flowtrain")
    parser.add_argument("--baselines", required=True, help="builtin_baselines")
    parser.add_argument("--seeds", type=int, nargs="+", default=[42, 1, 2])
    parser.add_argument("--epochs", type=int, help="instead of the profile's; fewer break the bounds")
    parser.add_argument("--skip-demo", action="store_true")
    parser.add_argument("--skip-shuffled", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flowtrain-demo-") as folder:
        try:
            rows = prove(options, pathlib.Path(folder))
        except (Broken, OSError) as fault:
            sys.exit("prove_demo: %s" % fault)
    print("\n%-32s %-6s %-9s" % ("validation IoU", "is", "must be"))
    for what, iou, bound, holds in rows:
        print("%-32s %.3f  %-9s%s" % (what, iou, bound, "" if holds else "  BROKEN"))
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
