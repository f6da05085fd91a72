"""Inputs for the graph target: sound graphs of the declarations in tests/config/fakes.cc, and each way a graph can be wrong."""
import copy
import json


def graph():
    return {"seed": 42,
            "stages": {"files": {"type": "data.files", "root": "/data"}, "decode": {"type": "image.decode"},
                       "augment": {"type": "image.augment", "size": [352, 288], "ops": [{"op": "flip", "p": 0.5}, {"op": "jitter"}]},
                       "staging": {"type": "staging", "batch": 8}, "net": {"type": "train.net"}},
            "edges": ["files -> decode -> augment -> staging -> net.train"]}


def changed(*steps):
    """The sound graph with [path, value] put in; a value of None takes it out."""
    made = graph()
    for path, value in steps:
        *above, last = path.split("/")
        part = made
        for name in above:
            part = part.setdefault(name, {})
        if value is None:
            del part[last]
        else:
            part[last] = copy.deepcopy(value)
    return json.dumps(made)


def seeds():
    sound = {
        "plain": changed(),
        "named": changed(("name", "a-b"), ("metrics", {"listen": ""}), ("run", {"stall_timeout": "30 s"})),
        "variables": changed(("stages/files/root", "${ROOT}/x-${N}-${MISSING:-y}")),
        "kinds": changed(("stages/augment/cache", "512 MiB"), ("stages/augment/pause", 2), ("stages/augment/power", 0.5), ("stages/augment/size", [1, 4096])),
        "two-chains": changed(("stages/val", {"type": "data.files", "root": "/v"}), ("stages/decode2", {"type": "image.decode"}), ("stages/resize", {"type": "image.augment", "size": [8, 8]}),
                              ("stages/staging2", {"type": "staging", "batch": 1}), ("edges", ["files -> decode -> augment -> staging -> net.train", "val -> decode2 -> resize -> staging2 -> net.val"])),
        "mix": changed(("stages/more", {"type": "data.files", "root": "/v"}), ("stages/mix", {"type": "data.mix", "weights": {"files": 1, "more": 2.5}}),
                       ("edges", ["files -> mix", "more -> mix", "mix -> decode -> augment -> staging -> net.train"])),
        "batches": changed(("stages/up", {"type": "train.upload"}), ("stages/mixup", {"type": "train.mixup"}), ("stages/look", {"type": "monitor.preview"}),
                           ("edges", ["files -> decode -> augment -> staging -> up -> mixup -> net.train", "staging -> look"])),
        "phases": changed(("phases", [{"name": "a", "epochs": 1}, {"name": "b", "epochs": 2, "set": {"/stages/net/lr": 0.5, "/stages/augment/size": [64, 64]}}])),
        "profiles": changed(("stages/files/root", "${DATA}"), ("profiles", {"demo": {"when_unset": "DATA", "why": "no data", "set": {"/stages/files/root": "/d", "/stages/augment/ops/-": {"op": "flip"}}}})),
        "comments": "// why\n" + changed().replace("{", "{ // here\n", 1),
        "set": changed() + "\0/stages/staging/batch=16\0/stages/augment/ops/0/p=1",
        "forced": changed(("profiles", {"small": {"set": {"/stages/staging/batch": 2}}})) + "\0small",
    }
    wrong = {
        "broken": changed()[:-9], "empty": "", "list": "[1]", "nested": "[" * 120, "nul": '{"seed":"\\u0000"}', "twice": '{"seed":1,"se\\u0065d":2}', "huge": '{"seed":1e999}',
        "escape": '{"a":"\\ud800"}', "utf8": '{"a":"\u00e9\U0001f600"}', "no-stages": changed(("stages", None)), "no-edges": changed(("edges", None)), "stages-list": changed(("stages", [1])),
        "edges-object": changed(("edges", {"a": 1})), "edges-number": changed(("edges", [1, "", "->", "a ->", "files -> files", "files.in -> decode"])),
        "unknown-type": changed(("stages/decode/type", "image.decoder")), "no-type": changed(("stages/decode", {})), "stage-name": changed(("stages/a b", {"type": "staging"})),
        "unknown-param": changed(("stages/augment/sise", [1, 1])), "ranges": changed(("stages/staging/batch", -1), ("stages/augment/size", [0, 1, 2]), ("stages/augment/gamma", -1)),
        "types": changed(("stages/augment/size", "8"), ("stages/augment/mode", "x"), ("stages/augment/ops", [{"op": "x"}, 1, {}]), ("seed", 1.5)),
        "unset": changed(("stages/files/root", "${NONE} ${1} ${")), "circle": changed(("stages/up", {"type": "train.upload"}), ("stages/mixup", {"type": "train.mixup"}),
                                                                                  ("edges", ["files -> decode -> augment -> staging -> up -> mixup -> up", "mixup -> net.train"])),
        "fan": changed(("edges", ["files -> decode -> augment -> staging -> net.train", "files -> augment"])), "shapes": changed(("stages/augment/size", None)),
        "sets": changed() + "\0/stages/none/x=1\0/nope=1\0/stages/augment/ops/9=1\0/seed", "no-profile": changed() + "\0nosuch",
        "phase": changed(("phases", [{"name": "a"}, {"name": "a", "epochs": 0, "set": {"/stages/net/model": 1}}, 7])), "profile": changed(("profiles", {"none": {"sets": 1}, "b": 2})),
    }
    for name, text in (sound | wrong).items():
        yield name, text.encode()
