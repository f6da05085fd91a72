#!/usr/bin/env python3
"""Breaks the engine in one place after the other and requires a test to notice.

usage: run_mutations.py BUILD_OR_SOURCE [PATCH]...

Each patch beside this file breaks one guarantee. Its first line names who must notice:

    # PROGRAM: REGEXP

a test program and a regular expression that its test cases' names are searched for. The tree is copied
to a scratch folder and configured once; every named case must pass there first. Then each patch is
applied, the program built, and each case it names must fail: by a check, a crash, or a hang. Prints a
table; exit code 1 if a mutation went unnoticed or could not be tried.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_S = 90  # a case that takes longer hangs


def source_of(path):
    """The source folder: the argument itself, or what its CMakeCache.txt was made from."""
    cache = path / "CMakeCache.txt"
    if not cache.exists():
        return path
    return pathlib.Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache.read_text(), re.M)[1])


def copy_tree(source, target):
    listed = subprocess.run(["git", "-C", source, "ls-files", "-co", "--exclude-standard", "-z"],
                            check=True, capture_output=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if not (source / name).is_file():
            continue  # deleted and not committed yet
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, target / name)


def build(tree, program):
    return subprocess.run(["cmake", "--build", tree / "build", "--target", program, "-j", "2"],
                          capture_output=True, text=True)


def cases_of(tree, program, pattern):
    listed = subprocess.run([tree / "build/tests-bin" / program, "--list-test-cases", "--no-intro", "--no-version"],
                            check=True, capture_output=True, text=True).stdout
    return [line for line in listed.splitlines()
            if line and not line.startswith(("[doctest]", "=====")) and re.search(pattern, line)]


def fails(tree, program, case):
    """How the case failed; empty: it passed."""
    pattern = case.replace("\\", "\\\\").replace(",", "\\,")
    try:
        run = subprocess.run([tree / "build/tests-bin" / program, f"--test-case={pattern}"],
                             capture_output=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return "hang"
    if run.returncode < 0:
        return f"signal {-run.returncode}"
    return "checks" if run.returncode else ""


def apply(tree, patch, *options):
    return subprocess.run(["patch", "-p1", "--fuzz=2", "--no-backup-if-mismatch", "-s", *options, "-i", patch],
                          cwd=tree, capture_output=True, text=True)


def try_patch(tree, patch, program, cases):
    """(as it must, what happened)"""
    applied = apply(tree, patch)
    if applied.returncode:
        return False, "does not apply: " + " ".join((applied.stdout + applied.stderr).split())
    try:
        built = build(tree, program)
        if built.returncode:
            return False, "does not build:\n" + built.stdout[-2000:]
        how = [fails(tree, program, case) for case in cases]
        return all(how), ", ".join(word or "PASSED" for word in how)
    finally:
        apply(tree, patch, "-R")


def main(argument, *wanted):
    source = source_of(pathlib.Path(argument).resolve())
    patches = sorted(HERE.glob("*.patch"))
    if wanted:
        patches = [patch for patch in patches if patch.name in wanted or patch.stem in wanted]
    unnoticed = 0
    with tempfile.TemporaryDirectory(prefix="flowtrain-mutations-") as scratch:
        tree = pathlib.Path(scratch)
        copy_tree(source, tree)
        subprocess.run(["cmake", "-S", tree, "-B", tree / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DFLOWTRAIN_TESTS=ON", "-DFLOWTRAIN_TRAIN=OFF"], check=True, capture_output=True)
        named = {}
        for patch in patches:
            program, pattern = re.match(r"# (\S+): (.+)", patch.read_text()).groups()
            if program not in {of for of, _ in named.values()} and build(tree, program).returncode:
                sys.exit(f"{program} does not build")
            cases = cases_of(tree, program, pattern)
            if not cases:
                sys.exit(f"{patch.name}: no case of {program} is named by {pattern!r}")
            named[patch] = (program, cases)
        for program, case in sorted({(program, case) for program, cases in named.values() for case in cases}):
            if how := fails(tree, program, case):
                sys.exit(f"without any mutation: {how}: {program}: {case}")
        print("patch | test | failed as it must\n--- | --- | ---", flush=True)
        for patch in patches:
            program, cases = named[patch]
            as_it_must, what = try_patch(tree, patch, program, cases)
            unnoticed += not as_it_must
            print(f"{patch.stem} | {program}: {'; '.join(cases)} | {'yes' if as_it_must else 'NO'} ({what})", flush=True)
    print(f"{len(patches) - unnoticed} of {len(patches)} mutations were noticed")
    return 1 if unnoticed or not patches else 0


if len(sys.argv) < 2:
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
