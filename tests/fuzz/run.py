#!/usr/bin/env python3
"""Tries a fuzz target for some time, from the inputs that seeds() of its NAME_seeds.py gives and the words of NAME.dict.

    tests/fuzz/run.py build/fuzz/safetensors --seconds 600 [--corpus FOLDER]

--corpus keeps what was found to be new. An input that breaks the target is kept beside it (crash-*,
timeout-*, oom-*) and shown in hex; run the target with that file to see it again. Exit: 0 clean.
"""
import argparse
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--corpus", type=pathlib.Path)
    options = parser.parse_args()
    name = options.target.name
    with tempfile.TemporaryDirectory(prefix="flowtrain-fuzz-") as scratch:
        seeds, corpus = pathlib.Path(scratch, "seeds"), options.corpus or pathlib.Path(scratch, "corpus")
        for folder in (seeds, corpus):
            folder.mkdir(parents=True, exist_ok=True)
        for seed, content in runpy.run_path(str(HERE / (name + "_seeds.py")))["seeds"]():
            (seeds / seed).write_bytes(content)
        broken = "%s-" % options.target
        result = subprocess.run([options.target, "-max_total_time=%d" % options.seconds, "-max_len=4096", "-timeout=10", "-rss_limit_mb=2048",
                                 "-print_final_stats=1", "-dict=%s" % (HERE / (name + ".dict")), "-artifact_prefix=" + broken, corpus, seeds],
                                text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        found = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", result.stdout)
        runs = re.search(r"number_of_executed_units: *(\d+)", result.stdout)
        memory = re.search(r"peak_rss_mb: *(\d+)", result.stdout)
        if result.returncode != 0 or not found or not runs:
            print(result.stdout[-6000:])
            return 1
        edges, features, kept = found[-1]
        print("%s: %s executions in %d s from %d seeds: %s edges, %s features, %s inputs kept, at most %s MB; nothing found" %
              (name, runs[1], options.seconds, len(list(seeds.iterdir())), edges, features, kept, memory[1] if memory else "?"))
        return 0


if __name__ == "__main__":
    sys.exit(main())
