#!/usr/bin/env python3
"""Checks of the program as people use it.

    check_program.py --program flowtrain --graphs FOLDER [--cache FOLDER] CHECK

Exit: 0 the check holds, 1 not, 77 it can't be made on this machine. CHECK: one of the functions of
checks_*.py. --cache keeps the set that the program makes for later checks.
"""
import argparse
import inspect
import pathlib
import sys
import tempfile

import checks_describe
import checks_graph
import checks_plain
import checks_plugins
import checks_runs
import checks_training
from program import Failed, Program, Skipped


def main():
    modules = (checks_describe, checks_graph, checks_plain, checks_plugins, checks_runs, checks_training)
    checks = {name: check for module in modules for name, check in inspect.getmembers(module, inspect.isfunction)
              if check.__module__ == module.__name__ and not name.startswith("_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--graphs", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--plugins", type=pathlib.Path, help="the test tree's own, one folder each")
    parser.add_argument("check", choices=sorted(checks))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flowtrain-cli-") as folder:
        cache = options.cache.resolve() if options.cache else pathlib.Path(folder, "cache")
        cache.mkdir(parents=True, exist_ok=True)
        try:
            program = Program(str(pathlib.Path(options.program).resolve()), options.graphs.resolve(), cache, folder)
            program.plugins = options.plugins and options.plugins.resolve()
            checks[options.check](program)
        except Skipped as why:
            print("skipped: %s" % why)
            return 77
        except Failed as what:
            print("%s: %s" % (options.check, what))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
