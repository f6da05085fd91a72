"""Checks of `flowtrain graph`, and of a graph with a parameter under its old name."""
import json
import re
import shutil
import subprocess

from checks import require
from program import sets

_OBSERVED = """{
  "name": "two",
  "stages": {
    "files": {"type": "data.segmentation", "root": "builtin:camouflage", "io_threads": 9, "read_ahead_bytes": "64 MiB"},
    "decode": {"type": "image.decode"},
    "augment": {"type": "image.augment", "size": [32, 48]},
    "staging": {"type": "staging", "batch": 4, "slots": 3},
    "more": {"type": "data.segmentation", "root": "builtin:camouflage", "read_ahead": 5},
    "decode2": {"type": "image.decode"},
    "augment2": {"type": "image.augment", "size": [32, 48]},
    "staging2": {"type": "staging", "batch": 1, "slots": 1},
    "sink": {"type": "monitor.null"},
    "sink2": {"type": "monitor.null"},
    "preview": {"type": "monitor.preview"}
  },
  "edges": ["files -> decode -> augment -> staging -> sink", "staging -> preview",
            "more -> decode2 -> augment2 -> staging2 -> sink2"],
  "run": {"threads": 3}
}"""


def _arrows(edges):
    """(from, to) of each arrow of a graph's chains."""
    for chain in edges:
        ends = [end.strip().split(".")[0] for end in chain.split("->")]
        yield from zip(ends, ends[1:])


def _require_whole(dot, graph):
    for name, stage in graph["stages"].items():
        require(re.search(r'^ +"%s" \[.*%s' % (name, re.escape(stage["type"])), dot, re.M), "no node for %s:\n%s" % (name, dot))
    arrows = list(_arrows(graph["edges"]))
    for start, end in arrows:
        require(re.search(r'^ +"%s" -> "%s"' % (start, end), dot, re.M), "no edge from %s to %s:\n%s" % (start, end, dot))
    require(dot.count(" -> ") == len(arrows), "%d edges are drawn, there are %d:\n%s" % (dot.count(" -> "), len(arrows), dot))


def _require_read(dot):
    """By Graphviz itself, every node and edge."""
    drawn = subprocess.run(["dot", "-Tplain"], input=dot, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    require(drawn.returncode == 0 and not drawn.stderr, "dot: exit %d: %s\n%s" % (drawn.returncode, drawn.stderr, dot))
    edges = sum(line.startswith("edge ") for line in drawn.stdout.splitlines())
    require(edges == dot.count(" -> "), "dot sees %d edges:\n%s" % (edges, dot))
    return edges


def graph_is_drawn_whole(program):
    types = set(re.findall(r"^  (\S+)  \[", program.ok("stages"), re.M))
    path = program.folder / "two.json"
    path.write_text(_OBSERVED)
    dots = [program.ok("graph", path)]
    _require_whole(dots[0], json.loads(_OBSERVED))
    for words in ("read-ahead 18 samples,\\n64 MiB", "read-ahead 5 samples", "9 I/O threads", "6 compute tokens, 3 workers",
                  "3 slots x batch 4", "image uint8 [4, 32, 48, 3]", '"preview":"in" [penwidth=2, label="queue of 1, drops", style=dashed]',
                  '"sink":"in" [penwidth=2, label="queue of 3"]', "1 slot x batch 1"):
        require(words in dots[0], "%r is not drawn:\n%s" % (words, dots[0]))
    require(dots[0].count("style=dashed") == 1, "one edge loses batches:\n" + dots[0])
    for shipped in sorted(program.graphs.glob("*.json")):
        text = re.sub(r"^\s*//.*$", "", shipped.read_text(), flags=re.M)
        graph = json.loads(text)
        if {stage["type"] for stage in graph["stages"].values()} <= types:
            dots.append(program.ok("graph", shipped))
            _require_whole(dots[-1], graph)
        else:
            print("%s needs a plugin that is not built" % shipped.name)
    if shutil.which("dot"):
        print("dot reads %s edges" % [_require_read(dot) for dot in dots])
    else:
        print("Graphviz' dot is not installed: not read by it")


def lone_observer_is_drawn_without_loss(program):
    """It holds nobody up, so it gets every batch: the engine's rule."""
    graph = json.loads(_OBSERVED)
    del graph["stages"]["sink2"]
    graph["stages"]["staging2"]["slots"] = 3
    graph["edges"] = ["files -> decode -> augment -> staging -> sink", "more -> decode2 -> augment2 -> staging2 -> preview"]
    path = program.folder / "lone.json"
    path.write_text(json.dumps(graph))
    dot = program.ok("graph", path)
    require('"preview":"in" [penwidth=2, label="queue of 3"]' in dot and "dashed" not in dot, dot)


def graph_takes_overrides(program):
    path = program.folder / "two.json"
    path.write_text(_OBSERVED)
    dot = program.ok("graph", path, *sets(stages__staging__batch=6))
    require("3 slots x batch 6" in dot, dot)
    code, output = program.call("graph", path, *sets(stages__staging__batch=0))
    require(code == 2 and "/stages/staging/batch: 0 is out of range" in output, "exit %d\n%s" % (code, output))
    code, output = program.call("graph", path, "--profile", "demo")
    require(code == 2 and "the graph has no such profile" in output, "exit %d\n%s" % (code, output))


def old_name_still_works_and_says_so(program):
    graph = json.loads(_OBSERVED)
    for name in ("more", "decode2", "augment2", "staging2", "sink2", "preview"):
        del graph["stages"][name]
    graph["stages"]["x"] = {"type": "renamed.blur", "std": 2, "rounds": 1}
    graph["stages"]["files"]["limit"] = 8
    graph["edges"] = ["files -> decode -> augment -> x -> staging -> sink"]
    path = program.folder / "old.json"
    warning = 'old.json: /stages/x/std: was renamed to "sigma"; the old name goes in 0.3'

    def call(*command):
        path.write_text(json.dumps(graph))
        return program.call(*command, "--plugin-path", program.plugins / "renamed")

    for command in (("validate", path), ("run", path, "--out", program.runs)):
        code, output = call(*command)
        require(code == 0 and output.count(warning) == 1, "%s: exit %d\n%s" % (command[0], code, output))
    kept = json.loads((program.run_folder() / "graph.json").read_text())["stages"]["x"]
    require(kept["sigma"] == 2 and "std" not in kept, "the run folder keeps %s" % kept)
    graph["stages"]["x"]["sigma"] = 2
    code, output = call("validate", path)
    require(code == 2 and '/stages/x/std: was renamed to "sigma", and "sigma" is given too' in output, "exit %d\n%s" % (code, output))
