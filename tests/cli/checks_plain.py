"""Checks that need no training: commands, bad graphs, bad files, the metrics port, a stop during start."""
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import struct
import subprocess
import time
import zlib

from checks import Skipped, require
from program import hashes, sets

_NOBODY = 54321  # a user whose only processes are this check's

_BAD_GRAPH = """{
  "name": "bad",
  "seed": -1,
  "stages": {
    "files": {"type": "data.segmentatoin", "root": "/data"},
    "more": {"type": "data.segmentation", "rooot": "/data", "limit": "many"},
    "decode": {"type": "image.decode"},
    "augment": {"type": "image.augment", "size": [64, 64], "size": [64, 64]},
    "staging": {"type": "staging", "batch": 0},
    "mix": {"type": "image.augment", "size": [64, 64]},
    "lone": {"type": "monitor.null"},
    "sink": {"type": "monitor.null"}
  },
  "edges": ["files -> decode -> augment -> staging -> sink", "more -> decode", "mix -> mix", "staging -> nobody"]
}
"""
_FAULTS = {
    "/seed": "-1 is out of range",
    "/stages/files/type": 'unknown stage type "data.segmentatoin", did you mean "data.segmentation"?',
    "/stages/more": '"root" is missing',
    "/stages/more/rooot": 'unknown parameter "rooot", did you mean "root"?',
    "/stages/more/limit": "expected an integer of at least 0, found \"many\"",
    "/stages/augment/size": "stands here a second time",
    "/stages/staging/batch": "0 is out of range: expected an integer from 1",
    "/stages/lone": "no edge leads to or from",
    "/edges/1": 'two edges lead into "decode"',
    "/edges/2": "the edges run in a circle",
    "/edges/3": 'there is no stage "nobody"',
}


def validate_is_quick(program):
    command = [program.path, "validate", str(program.graphs / "cod10k.json")]
    times = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run(command, env=program.env(), check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    print("validate: %.1f ms at best, %.1f ms at worst" % (min(times) * 1e3, max(times) * 1e3))
    require(min(times) < 0.05, "validate takes %.0f ms at best, 50 are allowed" % (min(times) * 1e3))


def validate_maps_no_libtorch(program):
    # glibc's own record of every file that it maps, also of those that are closed again.
    output = program.ok("validate", program.graphs / "cod10k.json", LD_DEBUG="files")
    require("libflowtrain_train.so" in output, "the record of mapped files lacks the plugin that validating opens:\n" + output[-2000:])
    torch = sorted(set(re.findall(r"\S*(?:libtorch|libc10|libcudart|train_torch|train_cuda)\S*", output)))
    require(not torch, "validate maps %s" % torch)


def mistyped_network_is_refused_before_anything_runs(program):
    plugins = ("--plugin-path", program.plugins / "networks")
    for command in ("validate", "run"):
        for name, words in (
            ("camoxprt", ('"camoxprt" is no choice, did you mean "camoxpert"? Allowed: "camoxpert", or <plugin>.<name>, which a plugin provides',)),
            ("netwroks.plain", ('nothing provides "netwroks.plain" as flowtrain.model.Network/1, did you mean "networks.plain"?',
                                'there is no plugin "netwroks" (libflowtrain_netwroks.so); searched ', '; allowed: "camoxpert", or <plugin>.<name>')),
        ):
            code, output = program.call(command, program.graphs / "cod10k.json", *plugins, *sets(stages__trainer__model__network=name))
            place = "cod10k.json: /stages/trainer/model/network: "
            require(code == 2 and place in output and all(word in output for word in words), "%s %s: exit %d\n%s" % (command, name, code, output))
            require(output.count("\n") == 1, "nothing else is said:\n" + output)
    require(not program.runs.exists(), "no run folder is made")
    # What a plugin that is there provides is not known before it is opened.
    output = program.ok("validate", program.graphs / "cod10k.json", *plugins, *sets(stages__trainer__model__network="networks.plian"))
    require("the graph is right" in output, output)


def no_arguments_print_help(program):
    output = program.ok()
    for word in ("Usage", "run", "validate", "stages", "describe", "graph", "schema", "check", "version"):
        require(word in output, "help lacks %s:\n%s" % (word, output))


def mistyped_command_gets_the_nearest(program):
    for typed, meant in (("rnu", "run"), ("validte", "validate")):
        code, output = program.call(typed)
        require(code == 2 and 'did you mean "%s"?' % meant in output, "%s: exit %d\n%s" % (typed, code, output))


def every_fault_is_named_at_once(program):
    graph = program.folder / "bad.json"
    graph.write_text(_BAD_GRAPH)
    for command in ("validate", "run"):
        code, output = program.call(command, graph)
        require(code == 2, "%s: exit %d, should be 2\n%s" % (command, code, output))
        lines = output.splitlines()
        for pointer, message in _FAULTS.items():
            require(any("bad.json: %s: " % pointer in line and message in line for line in lines),
                    "%s does not say %s: %s\n%s" % (command, pointer, message, output))
        require(len(lines) == len(_FAULTS), "%d faults, %d lines:\n%s" % (len(_FAULTS), len(lines), output))
    graph.write_text('{\n  "name": "x",\n  "stages": {"a" 3}\n}\n')
    code, output = program.call("run", graph)
    require(code == 2 and "bad.json: line 3, column 18" in output, "broken JSON: exit %d\n%s" % (code, output))


def missing_root_is_said_before_anything_runs(program):
    empty, lone = program.folder / "empty", program.folder / "lone"
    empty.mkdir()
    for sub, name in (("Image", "a.jpg"), ("GT", "b.png")):
        (lone / sub).mkdir(parents=True)
        (lone / sub / name).write_bytes(b"x")
    for root in (program.folder / "nowhere", empty, lone):
        code, output = program.call(*program.quickstart(*sets(stages__files__root=root)))
        require(code == 2 and "/stages/files/root" in output and str(root) in output, "root %s: exit %d\n%s" % (root, code, output))
        require(not program.runs.exists(), "a run folder was made for root %s" % root)


def metrics_port_in_use(program):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = "127.0.0.1:%d" % other.getsockname()[1]
        output = program.ok(*program.quickstart(*sets(metrics__listen=address)))
        require(address in output and "goes on without metrics" in output, "nothing is said of the port:\n" + output)
        code, output = program.call(*program.quickstart(*sets(metrics__listen=address, metrics__required="true")))
        require(code in (1, 2) and address in output, "required: exit %d\n%s" % (code, output))


def mixed_sources_make_one_stream(program):
    graph = pathlib.Path(__file__).with_name("graphs") / "mixed.json"
    found = []
    for threads in (1, 4):
        file = program.folder / ("hashes-%d" % threads)
        output = program.ok("run", graph, "--out", program.runs, "--batch-hashes", file, *sets(run__threads=threads))
        require("an epoch has 32 samples: 24 of train's 24, 8 of val's 16" in output, "the shares are not said:\n" + output)
        found.append(sorted(hashes(file)))
    require(len(found[0]) == 8 and found[0] == found[1], "batches with 1 thread and 4: %s" % found)
    for name, value, message in (("weights__val", -1, "/stages/both/weights/val: -1 is out of range"),
                                 ("weights", '{"train": 3}', '/stages/both/weights: "val" is missing'),
                                 ("weights", '{"train": 0, "val": 0}', "/stages/both/weights: at least one weight")):
        code, output = program.call("run", graph, "--out", program.runs, *sets(**{"stages__both__" + name: value}))
        require(code == 2 and message in output, "%s=%s: exit %d\n%s" % (name, value, code, output))


def _png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes((x * y) % 251 for x in range(width * 3)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def broken_images_are_named_once_and_replaced(program):
    train, mine = program.builtin() / "Train", program.folder / "mine"
    (mine / "Image").mkdir(parents=True)
    (mine / "GT").mkdir()
    images = sorted((train / "Image").iterdir())[:12]
    for image in images:
        shutil.copy(image, mine / "Image")
        shutil.copy(train / "GT_Object" / (image.stem + ".png"), mine / "GT")
    jpeg, png = images[0].read_bytes(), _png(96, 96)
    (mine / "Image/corrupt.jpg").write_bytes(jpeg[:20] + bytes(i * 37 % 256 for i in range(len(jpeg) - 20)))
    (mine / "Image/truncated.png").write_bytes(png[:len(png) // 2])
    for stem in ("corrupt", "truncated"):
        shutil.copy(train / "GT_Object" / (images[0].stem + ".png"), mine / "GT" / (stem + ".png"))
    # Two batches of 7 an epoch: both are drawn in each of the two epochs.
    output = program.ok(*program.quickstart(*sets(stages__files__root=mine, stages__files__val_share=0, stages__staging__batch=7), limit=0))
    folder = program.run_folder()
    bad = [json.loads(line) for line in (folder / "bad_samples.jsonl").read_text().splitlines()]
    log = (folder / "log.txt").read_text()
    for name in ("corrupt.jpg", "truncated.png"):
        require(log.count(name) == 1, "the log names %s %d times:\n%s" % (name, log.count(name), log))
        require(any(entry["path"] == str(mine / "Image" / name) and entry["stage"] == "decode" for entry in bad),
                "bad_samples.jsonl lacks %s: %s" % (name, bad))
    require(re.search(r"bad samples +[1-9]", output), "the summary does not count bad samples:\n" + output)


def stop_while_the_builtin_set_is_made(program):
    program.cache = program.folder / "empty-cache"
    with program.start(*program.quickstart()) as running:
        running.wait_until(lambda: len(list(program.cache.rglob("*.jpg"))) > 8, "some images of the set are made")
        running.signal()
        code, output = running.end(5)
    require(code == 130, "exit %d, should be 130\n%s" % (code, output))
    require(output.count("interrupted") == 1, "one line about it was expected:\n" + output)
    left = list(program.cache.rglob("*.jpg"))
    require(not left, "a half-made set is left: %s" % left[:3])
    program.ok(*program.quickstart())


def files_that_are_no_graph_are_refused_at_once(program):
    fifo, huge = program.folder / "fifo.json", program.folder / "huge.json"
    os.mkfifo(fifo)
    with huge.open("w") as file:
        file.truncate((64 << 20) + 1)
    for path, words in (("/dev/zero", "this is no regular file"), (fifo, "this is no regular file"),
                        (program.folder, "this is a folder"), (huge, "a graph has at most 64 MiB")):
        code, output = program.call("validate", path, seconds=5)
        require(code == 2 and words in output, "%s: exit %d\n%s" % (path, code, output))


def missing_graph_is_named_where_it_stands(program):
    for command in ("run", "validate", "graph"):
        code, output = program.call(command, "nowhere.json")
        require(code == 2 and "there is no file %s/nowhere.json" % program.folder in output, "%s: exit %d\n%s" % (command, code, output))
        for name in ("quickstart", "graphs/quickstart.json"):
            code, output = program.call(command, name)
            found = re.search(r"did you mean (\S+)\?", output)
            require(code == 2 and found and pathlib.Path(found[1]).is_file(), "%s %s: exit %d\n%s" % (command, name, code, output))
    require(found[1].endswith("graphs/quickstart.json"), output)


def missing_plugin_folder_is_said(program):
    for command in (["validate", program.graphs / "quickstart.json"], ["stages"], ["schema"]):
        code, output = program.call(*command, "--plugin-path", "%s:/no/such/folder" % program.folder)
        require(code == 2 and "there is no folder /no/such/folder" in output, "%s: exit %d\n%s" % (command[0], code, output))


def little_memory_is_one_line(program):
    if b"__asan_init" in pathlib.Path(program.path).read_bytes():
        raise Skipped("AddressSanitizer maps terabytes of addresses")
    program.builtin()
    codes = set()
    for kib in range(50000, 75000, 5000):
        command = ["sh", "-c", 'ulimit -v %d; ulimit -c 0; exec "$@"' % kib, "sh", program.path, *map(str, program.quickstart())]
        result = subprocess.run(command, env=program.env(), cwd=program.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        # 2: too little to map a plugin, which is said of the plugin.
        require(result.returncode in (0, 1, 2), "%d KiB: exit %d\n%s" % (kib, result.returncode, result.stdout))
        codes.add(result.returncode)
    require(1 in codes, "no limit was too small")


def large_seed_is_kept(program):
    for seed in (2**53 + 1, 2**63 - 1):
        program.runs = program.folder / str(seed)
        output = program.ok(*program.quickstart("--seed", seed))
        require("seed %d\n" % seed in output, output)
        require(json.loads((program.run_folder() / "graph.json").read_text())["seed"] == seed, "graph.json has another seed")
        require("seed %d" % seed in program.ok("graph", program.graphs / "quickstart.json", "--seed", seed), "the drawing has another seed")
    code, output = program.call("validate", program.graphs / "quickstart.json", "--seed", 2**63)
    require(code == 2 and str(2**63) in output and "e+" not in output, "exit %d\n%s" % (code, output))


def path_that_is_no_utf8(program):
    root = os.fsdecode(os.fsencode(program.folder) + b"/caf\xe9")
    shutil.copytree(program.builtin() / "Train", root)
    program.ok(*program.quickstart(*sets(stages__files__root=root)))
    json.loads((program.run_folder() / "graph.json").read_text())
    output = program.ok(*program.quickstart("--resume", program.run_folder(), *sets(stages__files__root=root)))
    require("finished already" in output, output)


def threads_that_cannot_start_name_their_limit(program):
    if re.search(b"__[at]san_init", pathlib.Path(program.path).read_bytes()):
        raise Skipped("a sanitizer maps terabytes of addresses")
    program.builtin()
    most = 1 << 30  # bytes; 256 threads' stacks take 2 GiB

    def few_processes():
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)  # root may have any number
        resource.setrlimit(resource.RLIMIT_NPROC, (24, 24))

    ways = {"ulimit -v": lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))}
    if os.geteuid() == 0:
        for folder in (program.folder, program.cache):
            os.chmod(folder, 0o777)
        ways["ulimit -u"] = few_processes
    for name, limit in ways.items():
        program.runs = program.folder / name.replace(" ", "")
        command = [program.path, *map(str, program.quickstart("--set", "/stages/files/io_threads=256"))]
        done = subprocess.run(command, env=program.env(), cwd=program.folder, preexec_fn=limit, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, text=True)
        require(done.returncode == 1, "%s: exit %d\n%s" % (name, done.returncode, done.stdout))
        require("can't start a thread (ft-" in done.stdout and name in done.stdout, "%s is not named:\n%s" % (name, done.stdout))
