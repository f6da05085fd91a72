#!/usr/bin/env python3
"""Holds flowtrain's loading against other loaders on the same files and prints a table.

run_peers.py [--rounds 5] [--data FOLDER] [--python FILE] [--log FILE]

In each round every loader runs once, in turn, in a process of its own on two CPUs; a ratio is that
of one round, and the table has its median. CPU time is user and system time of the process and all
that it starts, without the start: the Python loaders count a window of batches in the middle of a
run; flowtrain and the bare loop run twice, short and long, and the difference counts. Loaders that
are not installed (deploy/setup --peers) are left out.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import table
from bench import Bench
from loaders import HERE, LOADERS, TASKS
from measured_run import Failed

ROOT = HERE.parents[2]


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--build", type=Path, default=ROOT / "build", help="the build folder, with FLOWTRAIN_TESTS")
    add("--python", type=Path, help="that has the peers; BUILD/peers-env/bin/python")
    add(
        "--data",
        type=Path,
        default=os.environ.get("FLOWTRAIN_TEST_DATA"),
        help="has imagenet/ and davis/; $FLOWTRAIN_TEST_DATA, else files that are made",
    )
    add("--rounds", type=int, default=5)
    add(
        "--images",
        type=int,
        default=2048,
        help="of a classification window; half as many of segmentation",
    )
    add("--tasks", nargs="+", choices=TASKS, default=TASKS)
    add(
        "--loaders",
        nargs="+",
        choices=[loader.name for loader in LOADERS],
        default=[loader.name for loader in LOADERS],
        metavar="NAME",
        help="some only: %(choices)s",
    )
    add("--no-resamplers", action="store_true", help="leave the resamplers' quality and time out")
    add(
        "--log",
        type=Path,
        help="a JSON line a run is added here, and what it held already counts as well",
    )
    given = parser.parse_args(arguments)
    given.python = given.python or given.build / "peers-env/bin/python"
    return given


def hold_to_two_cpus():
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def releases(python):
    """Installed packages of the peers' Python, or nothing where there is none."""
    ask = (
        "import importlib.metadata as m, json\n"
        "print(json.dumps({d.name.lower(): d.version for d in m.distributions()}))"
    )
    try:
        return json.loads(
            subprocess.run([python, "-c", ask], check=True, stdout=subprocess.PIPE).stdout
        )
    except (OSError, subprocess.CalledProcessError):
        return {}


def say(text):
    print(text, file=sys.stderr, flush=True)


def present(given, installed):
    """The loaders that can run; says of each of the others why it is left out."""
    found = []
    for loader in LOADERS:
        lost = [name for name in loader.packages if name not in installed]
        if loader.name in given.loaders and lost:
            say(f"{loader.title}: left out, {', '.join(lost)} not installed (deploy/setup --peers)")
        elif loader.name in given.loaders:
            found.append(loader)
    return found


def measure_rounds(bench, given, loaders, note):
    failed = set()
    for round_ in range(given.rounds):
        for task in given.tasks:
            turn = round_ % len(loaders)
            for loader in loaders[turn:] + loaders[:turn]:
                if (loader.name, task) in failed:
                    continue
                try:
                    result = bench.run(loader, task)
                except (Failed, OSError, StopIteration) as error:
                    say(f"{loader.title}: left out of {task}: {error}")
                    failed.add((loader.name, task))
                    continue
                say(
                    f"round {round_ + 1}, {task}, {loader.name}: "
                    f"{result['images_per_s']:.0f} images/s, {result['cpu_s']:.3f} CPU s a 1,000"
                )
                note({"loader": loader.name, "task": task, "round": round_, **result})


def main(arguments=None):
    given = parse(arguments)
    hold_to_two_cpus()
    installed = releases(given.python)
    loaders = present(given, installed)
    if not loaders:
        raise SystemExit("run_peers.py: no loader is left")
    kept = given.log.read_text().splitlines() if given.log and given.log.exists() else []
    records = [json.loads(line) for line in kept]
    begin = 1 + max((record.get("round", -1) for record in records), default=-1)

    def note(record):
        if "round" in record:
            record["round"] += begin
        records.append(record)
        if given.log:
            with open(given.log, "a", encoding="utf-8") as log:
                log.write(json.dumps(record) + "\n")

    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        bench = Bench(given, Path(folder))
        measure_rounds(bench, given, loaders, note)
        for task in () if given.no_resamplers else given.tasks:
            try:
                note({"resamplers": bench.resamplers(task), "task": task})
            except (Failed, OSError) as error:
                say(f"resamplers: left out of {task}: {error}")
    print(table.markdown(records, installed))


if __name__ == "__main__":
    main()
