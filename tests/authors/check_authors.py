#!/usr/bin/env python3
"""Checks of what an author of a plugin gets: from an installed flowtrain, away from the source tree.

    check_authors.py --build BUILD --source SOURCE [--cache FOLDER] CHECK

Exit: 0 the check holds, 1 not. CHECK: one of the functions of checks_*.py.
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import checks
import checks_examples
import checks_network
import checks_new
from installed import Installed


def main():
    by_name = checks.checks_of(checks_examples, checks_network, checks_new)
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, help="keeps the images that the program makes for later checks")
    parser.add_argument("check", choices=sorted(by_name))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flowtrain-authors-") as folder:
        folder = pathlib.Path(folder).resolve()
        return checks.run(options.check, lambda: by_name[options.check](
            Installed(options.build.resolve(), options.source.resolve(), options.cache or folder / "cache", folder)))


if __name__ == "__main__":
    sys.exit(main())
