"""Checks of what plugins bring along: `flowtrain check` of them, their commands, what is said of bad ones."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

from checks import Skipped, require
from program import sets

_NOBODY = 54322  # a user whose only processes are this check's


def _check(program, plugin, *more):
    return program.call("check", program.plugins / plugin / ("libflowtrain_%s.so" % plugin), *more)


def _fault(output, stage):
    """What is said of a stage that failed, on one line."""
    lines = re.search(r"^  %s  FAILED\n((?:    .*\n)+)" % re.escape(stage), output, re.M)
    require(lines, "%s did not fail:\n%s" % (stage, output))
    return " ".join(lines[1].split())


def check_passes_good_plugins(program):
    code, output = _check(program, "good", "--params", 'good.unpack={"skip": 3}')
    require(code == 0 and "2 stages tried, 0 failed, 0 not run" in output, "exit %d\n%s" % (code, output))
    image = program.path.rsplit("/", 1)[0] + "/libflowtrain_image.so"
    ops = [{"op": "flip"}, {"op": "rot90"}, {"op": "jitter", "brightness": 0.2, "saturation": 0.3}]
    augment = {"size": [64, 48], "ops": ops}
    code, output = program.call("check", image, "--params", "image.augment=" + json.dumps(augment))
    require(code == 0 and "2 stages tried, 0 failed" in output, "exit %d\n%s" % (code, output))
    print(output)


def check_catches_a_race(program):
    code, output = _check(program, "racy")
    said = _fault(output, "racy.invert")
    require(code == 1 and "not safe on several threads" in said and "bytes of \"image\" differ" in said, "exit %d\n%s" % (code, output))
    require(said.count("- ") == 1, "it is safe on one thread:\n" + output)
    print(said)


def check_catches_other_random_numbers(program):
    code, output = _check(program, "unsteady")
    said = _fault(output, "unsteady.invert")
    require(code == 1 and "not deterministic" in said and "threads" not in said, "exit %d\n%s" % (code, output))
    print(said)


def check_reports_crashes_and_hangs(program):
    code, output = _check(program, "fragile", "--timeout", 5)
    for stage, words in {
        "crashes": "crashed (SIGSEGV) in the trial: an empty \"image\"",
        "ends": "an empty \"image\" ends the run (\"too short\"); content at fault is a BadSample",
        "hangs": "said nothing for 5 s and was ended in the trial: \"image\" with 4 channels",
        "leaves": "leaves bytes unwritten",
        "lies": "\"image\" is image 4 x 4 x 3 of 8 bits; its declaration says image 8 x 8 x 3 of 8 bits",
        "throws_int": "\"image\" with 2 channels: it throws something that is no std::exception",
        "spoiled": "after broken samples: ",
        "always": "it takes no sample, and calls none of them bad: it threw: not today",
    }.items():
        said = _fault(output, "fragile." + stage)
        require(words in said, "%s should say %r:\n%s" % (stage, words, output))
        print("%-10s %s" % (stage, said[:110]))
    require(code == 1 and "8 stages tried, 8 failed, 0 not run" in output, "exit %d\n%s" % (code, output))


def check_says_what_it_did_not_run(program):
    code, output = _check(program, "good")
    flat = " ".join(output.split())
    require(code == 0 and '"skip" is missing: expected an integer from 0 to 100 (give it: --params good.unpack=' in flat,
            "exit %d\n%s" % (code, output))
    require("1 stage tried, 0 failed, 1 not run" in flat, output)
    code, output = program.call("check", program.path.rsplit("/", 1)[0] + "/libflowtrain_monitor.so")
    require(code == 0 and "a consumer; only transforms are tried" in output, "exit %d\n%s" % (code, output))


def check_refuses_what_is_no_plugin(program):
    code, output = _check(program, "dies")
    require(code == 1 and "it crashed (SIGSEGV) while it was loaded" in output, "exit %d\n%s" % (code, output))
    text = program.folder / "libflowtrain_text.so"
    text.write_text("no library")
    code, output = program.call("check", text)
    require(code == 1 and "FAILED: " in output, "exit %d\n%s" % (code, output))
    other = program.folder / "good.so"
    shutil.copy(program.plugins / "good/libflowtrain_good.so", other)
    good = program.plugins / "good/libflowtrain_good.so"
    fifo = program.folder / "fifo"
    os.mkfifo(fifo)
    for arguments, words in (
        ((program.folder / "libflowtrain_none.so",), "there is no such file"),
        ((other,), "a plugin's file is named libflowtrain_NAME.so"),
        ((good, "--params", "good.unpak={}"), 'the plugin has no stage "good.unpak", did you mean "good.unpack"?'),
        ((good, "--params", "good.unpack"), 'has no "="'),
        ((good, "--params", "good.unpack={"), "--params good.unpack: line 1, column 2: broken JSON"),
        ((good, "--params", 'good.unpack={"skip": 101}'), "--params good.unpack: /skip: 101 is out of range"),
        ((good, "--params", 'good.unpack={"skp": 1, "skip": 1}'), 'unknown parameter "skp", did you mean "skip"?'),
        ((good, "--sample", "image=nowhere.webp"), "nowhere.webp: can't be read: No such file"),
        ((good, "--sample", "image=/dev/zero"), "/dev/zero: this is no regular file"),
        ((good, "--sample", "image=%s" % fifo), "fifo: this is no regular file"),
        ((good, "--sample", "image=%s" % program.folder), "this is a folder"),
        ((good, "--sample", "imag=%s" % text), 'no transform of this plugin takes encoded "imag", did you mean "image"?'),
        ((program.folder,), "this is a folder; expected a plugin's file"),
        ((fifo,), "this is no regular file; expected a plugin's file"),
    ):
        code, output = program.call("check", *arguments, seconds=10)
        require(code == 2 and words in output, "%s: exit %d, should say %r\n%s" % (arguments[1:], code, words, output))


def plugin_that_ends_the_process_is_named(program):
    """Its constructors run in the process that opens it, whatever the command."""
    for plugin, due in (("dies", -signal.SIGSEGV), ("exits", 1)):
        file = program.plugins / plugin / ("libflowtrain_%s.so" % plugin)
        folder = ("--plugin-path", file.parent)
        for command in (["stages"], ["describe", plugin + ".box"], ["validate", program.graphs / "quickstart.json", "--set", "/stages/sink/type=%s.box" % plugin]):
            code, output = program.call(*command, *folder)
            require(code in (due, 1) and "ended while the plugin %s was opened" % file in output, "%s: exit %d\n%s" % (command[0], code, output))
        code, output = program.call("check", file)
        require(code == 1 and "ended while the plugin %s was opened" % file in output, "exit %d\n%s" % (code, output))


def check_blames_no_plugin_for_a_limit(program):
    if re.search(b"__[at]san_init", pathlib.Path(program.path).read_bytes()):
        raise Skipped("a sanitizer maps terabytes of addresses")

    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (40 << 20, 40 << 20))  # no room for four threads' stacks

    def few_processes():
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)  # root may have any number
        resource.setrlimit(resource.RLIMIT_NPROC, (3, 3))  # the program, its child and one thread

    ways = {"ulimit -v": little_memory} | ({"ulimit -u": few_processes} if os.geteuid() == 0 else {})
    command = [program.path, "check", str(program.plugins / "good/libflowtrain_good.so")]
    for name, limit in ways.items():
        done = subprocess.run(command, env=program.env(), preexec_fn=limit, stdin=subprocess.DEVNULL, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, text=True)
        said = " ".join(done.stdout.split())
        require(done.returncode == 1 and "FAILED" not in said and "a thread can't be started" in said and name in said,
                "%s: exit %d\n%s" % (name, done.returncode, done.stdout))
        require("0 stages tried, 0 failed, 2 not run" in said, done.stdout)


def new_plugin_that_fails_leaves_nothing(program):
    """As on a full disk: the files of the template do not fit."""
    program.ok("plugin", "new", "whole")
    largest = max(file.stat().st_size for file in (program.folder / "whole").iterdir())
    (program.folder / "empty").mkdir()
    before = sorted(program.folder.rglob("*"))
    for folder in ("half", "some/where/deep", "empty", "half/"):
        done = subprocess.run([program.path, "plugin", "new", "half", folder], env=program.env(), cwd=program.folder,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest // 2, largest // 2)),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, text=True)
        require(done.returncode == 1 and "can't write" in done.stdout, "%s: exit %d\n%s" % (folder, done.returncode, done.stdout))
        require(sorted(program.folder.rglob("*")) == before, "%s: left %s" % (folder, sorted(set(program.folder.rglob("*")) - set(before))))
    code, output = program.call("plugin", "new", "staging")
    require(code == 2 and "\"staging\" is a name of flowtrain's own" in output, "exit %d\n%s" % (code, output))


def check_takes_a_short_timeout(program):
    code, output = _check(program, "good", "--params", 'good.unpack={"skip": 3}', "--timeout", 1)
    require(code == 0 and "2 stages tried, 0 failed" in output, "exit %d\n%s" % (code, output))


def plugins_command_gets_a_graph(program):
    folder = ("--plugin-path", program.plugins / "views")
    graph = program.graphs / "quickstart.json"
    phases = '/phases=[{"name": "small", "epochs": 1, "set": {}}, {"name": "large", "epochs": 2, "set": {"/stages/staging/batch": 5}}]'
    code, output = program.call("show", "inputs", "--set", "/stages/staging/batch=3", graph, "--set=" + phases, *folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    lines = output.splitlines()
    require(lines[0] == "quickstart", output)
    require(any(line.startswith("/stages/files data.segmentation {") and '"limit":0' in line for line in lines), "no default is filled in:\n" + output)
    require("sink.in image uint8 [3 192 192 3]" in lines[:lines.index("phase small, epochs 1")], "no input's shape:\n" + output)
    require("sink.in image uint8 [3 192 192 3]" in lines[lines.index("phase small, epochs 1"):], "none in the first phase:\n" + output)
    require("sink.in image uint8 [5 192 192 3]" in lines[lines.index("phase large, epochs 2"):], "none in the second phase:\n" + output)
    print(output)
    code, output = program.call("show", "inputs", graph, *sets(stages__staging__batch=0, seed="x"), *folder)
    require(code == 2 and output.count("quickstart.json: /") == 2, "both faults, and exit 2: %d\n%s" % (code, output))
    code, output = program.call("show", "inputs", graph, "--profile", "demo", *folder)
    require(code == 2 and "demo" in output, "a profile that is not there: exit %d\n%s" % (code, output))
    code, output = program.call("show", "inputs", graph, *folder, "--set")
    require(code == 2 and "--set" in output, "--set without a value: exit %d\n%s" % (code, output))
    code, output = program.call("show", "inputs", program.folder / "none.json", *folder)
    require(code == 2 and "there is no file" in output, "exit %d\n%s" % (code, output))
    code, output = program.call("show", "twice", *folder)
    require(code == 1 and output.startswith('flowtrain show twice: "views.show_twice" and "views.show_twice" are both this command'), "exit %d\n%s" % (code, output))
    require("flowtrain show inputs" in program.ok("stages", *folder), "it is not listed")
    output = program.ok("show", "inputs", "--help", *folder)
    require(output.startswith("Show what reaches each consumer.") and all(
        option in output for option in ("--set POINTER=VALUE", "--profile NAME", "--plugin-path FOLDER")), "the program's own options are not said:\n" + output)
