#!/usr/bin/env python3
"""Checks of what an author of a plugin gets: from an installed flowtrain, away from the source tree.

    check_authors.py --build BUILD --source SOURCE [--cache FOLDER] CHECK

Exit: 0 the check holds, 1 not. CHECK: one of the functions of checks_*.py.
"""
import argparse
import inspect
import pathlib
import sys
import tempfile

import checks_examples
import checks_new
from installed import Failed, Installed


def main():
    checks = {name: check for module in (checks_examples, checks_new) for name, check in inspect.getmembers(module, inspect.isfunction)
              if check.__module__ == module.__name__ and not name.startswith("_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, help="keeps the images that the program makes for later checks")
    parser.add_argument("check", choices=sorted(checks))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flowtrain-authors-") as folder:
        folder = pathlib.Path(folder).resolve()
        try:
            checks[options.check](Installed(options.build.resolve(), options.source.resolve(), options.cache or folder / "cache", folder))
        except Failed as what:
            print("%s: %s" % (options.check, what))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
