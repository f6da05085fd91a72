"""Checks of what lies between a source and its files: the cache, slow storage."""
import json
import random
import re
import signal
import time

from checks import Skipped, require
from program import hashes, sets


def _graph(program, **source):
    """Files of the set that the program makes, into the null sink."""
    root = program.builtin()
    path = program.folder / "files.json"
    path.write_text(json.dumps({
        "stages": {
            "files": {"type": "data.segmentation", "root": str(root), "split": "train", "sampler": {"shuffle": True}, "cache_dir": str(program.folder / "cache")} | source,
            "decode": {"type": "image.decode"},
            "augment": {"type": "image.augment", "size": [96, 96]},
            "staging": {"type": "staging", "batch": 16},
            "sink": {"type": "monitor.null", "epochs": 2}},
        "edges": ["files -> decode -> augment -> staging -> sink"]}))
    return path, root


def _watched(program, root, **more):
    if re.search(b"__[at]san_init", open(program.path, "rb").read()):
        raise Skipped("a sanitizer's own library wants to be loaded first")
    return {"LD_PRELOAD": program.plugins.parent / "libslow_open.so", "WATCHED_FILES": root} | more


def _run(program, graph, name, *more, **env):
    file = program.folder / name
    output = program.ok("run", graph, "--out", program.runs, "--batch-hashes", file, *more, **env)
    return sorted(hashes(file)), output


def second_epoch_opens_no_file(program):
    """Counted at open(2). 384 pairs are 768 files."""
    graph, root = _graph(program)
    log = program.folder / "opened"
    env = _watched(program, root, OPENED_LOG=log)

    def opened():
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines

    plain, _ = _run(program, graph, "none", **env)
    without = opened()
    require(len(set(without)) == 768 and len(without) >= 2 * 760, "without a cache %d files were opened, %d different ones" % (len(without), len(set(without))))
    for kind in ("ram", "disk"):
        lines, output = _run(program, graph, kind, *sets(stages__files__cache=kind), **env)
        first = opened()
        require(lines == plain, "a cache (%s) changed the batches" % kind)
        # At the border of epochs a file may be read twice at once.
        require(len(set(first)) == 768 and len(first) <= 776, "with a cache (%s) %d files were opened in two epochs, %d different ones" % (kind, len(first), len(set(first))))
        require(re.search(r"^files .*cache: \S+% of", output, re.M), "the hit rate is not said:\n" + output)
    lines, output = _run(program, graph, "again", *sets(stages__files__cache="disk"), **env)
    again = opened()
    require(not again and lines == plain, "the next run opened %d files: %s" % (len(again), again[:3]))
    require("cache: 100% of" in output, output)
    print("2 epochs of 768 files: %d opens without a cache, 768 to 776 with one, 0 in the next run" % len(without))


def cache_is_filled_before_a_run(program):
    graph, root = _graph(program, cache="disk")
    first = program.ok("cache", "fill", graph)
    require(re.search(r"files: 384 samples, 768 files or pieces of shards read, 0 found in the cache; \S+ MiB of it in disk " + str(program.folder / "cache"), first), first)
    require("0 files or pieces of shards read, 768 found in the cache" in program.ok("cache", "fill", graph), "the second fill read files")
    log = program.folder / "opened"
    cached, _ = _run(program, graph, "cached", **_watched(program, root, OPENED_LOG=log))
    require(not log.exists(), "a run after a fill opened files: %s" % (log.read_text()[:200] if log.exists() else ""))
    plain, _ = _run(program, graph, "plain", *sets(stages__files__cache="none"))
    require(cached == plain, "the cache changed the batches")
    code, output = program.call("cache", "fill", graph, *sets(stages__files__cache="none"))
    require(code == 2 and "no source keeps a cache on disk; --set /stages/files/cache=disk" in output, "exit %d: %s" % (code, output))


def killed_fill_goes_on(program):
    """Killed with -9 at any moment, then by Ctrl-C, then run: every batch is what it is without a cache."""
    graph, root = _graph(program, cache="disk", io_threads=4)
    plain, _ = _run(program, graph, "plain", *sets(stages__files__cache="none"))
    slow = _watched(program, root, SLOW_OPEN_MS=20)
    entries = program.folder / "cache"
    counts = []
    for kill in range(6):
        with program.start("cache", "fill", graph, **slow) as filling:
            until = time.monotonic() + random.uniform(0.05, 0.3)
            filling.wait_until(lambda: time.monotonic() > until, "a moment of a fill")
            filling.signal(signal.SIGKILL if kill < 5 else signal.SIGINT)
            code, output = filling.end(5)
        require(code == (-9 if kill < 5 else 130), "exit %d: %s" % (code, output))
        counts.append(sum(path.is_file() for path in entries.rglob("*")))
    lines, output = _run(program, graph, "after")
    require(lines == plain, "after kills the batches differ")
    held = float(re.search(r"cache: (\S+)% of", output)[1])
    require(held > 20, "nothing of what was copied was used: " + output)
    left = [path for path in (entries / ".flowtrain-cache/drafts").iterdir()]
    require(not left, "drafts are left: %s" % left)
    print("entries after each kill: %s; then %g%% of reads from the cache" % (counts, held))


def slow_storage_costs_nothing_with_enough_threads(program):
    """20 ms to open a file, and a sample has two. The best of a few, for others use this machine."""
    graph, root = _graph(program, io_threads=64)
    heavy = sets(stages__augment__size="[512, 512]", stages__augment__ops='[{"op": "affine", "degrees": 30}]', stages__sink__epochs=6)

    def pace(ms, *more):
        output = program.ok("run", graph, "--out", program.runs, *heavy, *more, **_watched(program, root, SLOW_OPEN_MS=ms))
        line = re.search(r"^files +(.*)$", output, re.M)[1]
        return float(re.search(r"^images/s +(\S+)", output, re.M)[1]), line, int(re.search(r"about (\d+) would", line)[1])

    ratio, best = 0, None
    for _ in range(8):
        quick, _, _ = pace(0)
        slow = pace(20)
        if slow[0] / quick > ratio:
            ratio, best = slow[0] / quick, slow
        if ratio >= 0.95:
            break
    print("20 ms a file against 0 ms: %.3f of the images/s (%.0f); %s" % (ratio, best[0], best[1]))
    require(ratio >= 0.95, "slow storage costs %.1f%% with 64 I/O threads: %s" % (100 - 100 * ratio, best[1]))
    require("would do" in best[1] and best[2] <= 64, best[1])
    # As many as it says it needs, and far fewer.
    enough = 0
    for _ in range(3):
        if enough <= 0.8 * best[0]:
            enough, line, _ = pace(20, *sets(stages__files__io_threads=2 * best[2]))
    require(enough > 0.8 * best[0], "with twice the %d threads that it asked for: %.0f images/s, not %.0f; %s" % (best[2], enough, best[0], line))
    few, line, needed = pace(20, *sets(stages__files__io_threads=2, stages__sink__epochs=1))
    print("with 2 I/O threads %.0f images/s; %s" % (few, line))
    require("the bottleneck" in line and needed > 4 and few < 0.5 * best[0], "with 2 I/O threads: %.0f images/s, %s" % (few, line))
