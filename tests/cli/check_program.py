#!/usr/bin/env python3
"""Checks of the program as people use it.

    check_program.py --program flowtrain --graphs FOLDER [--cache FOLDER] CHECK

Exit: 0 the check holds, 1 not, 77 it can't be made on this machine. CHECK: one of the functions of
checks_*.py. --cache keeps the set that the program makes for later checks.
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import checks
import checks_describe
import checks_graph
import checks_model
import checks_plain
import checks_plugins
import checks_runs
import checks_shipped
import checks_storage
import checks_training
from program import Program


def main():
    by_name = checks.checks_of(checks_describe, checks_graph, checks_model, checks_plain, checks_plugins, checks_runs, checks_shipped, checks_storage, checks_training)
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--graphs", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--plugins", type=pathlib.Path, help="the test tree's own, one folder each")
    parser.add_argument("check", choices=sorted(by_name))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flowtrain-cli-") as folder:
        cache = options.cache.resolve() if options.cache else pathlib.Path(folder, "cache")
        cache.mkdir(parents=True, exist_ok=True)

        def check():
            program = Program(str(pathlib.Path(options.program).resolve()), options.graphs.resolve(), cache, folder)
            program.plugins = options.plugins and options.plugins.resolve()
            by_name[options.check](program)

        return checks.run(options.check, check)


if __name__ == "__main__":
    sys.exit(main())
