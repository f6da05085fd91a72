#!/usr/bin/env python3
"""Writes a ctest file with one test for each TEST_CASE of a doctest program.

usage: discover.py PROGRAM NAME OUTPUT [PROPERTY VALUE]...

doctest's own CMake discovery loses names with brackets or semicolons, and labels that it is given.
"""
import subprocess
import sys


def main(program, name, output, *properties):
    listed = subprocess.run([program, "--list-test-cases", "--no-intro", "--no-version"],
                            check=True, capture_output=True, text=True, timeout=60).stdout
    cases = [line for line in listed.splitlines() if line and not line.startswith(("[doctest]", "====="))]
    if not cases:
        sys.exit(f"{program} has no test cases")
    with open(output, "w", encoding="utf-8") as file:
        for case in cases:
            test = f"[==[{name}: {case}]==]"
            pattern = case.replace("\\", "\\\\").replace(",", "\\,")
            file.write(f"add_test({test} [==[{program}]==] [==[--test-case={pattern}]==])\n")
            pairs = " ".join(f"[==[{value}]==]" for value in properties)
            file.write(f"set_tests_properties({test} PROPERTIES {pairs})\n")


main(*sys.argv[1:])
