"""Checks of `flowtrain model describe`."""
import json

from checks import require
from program import sets


def _describe(program, *more, graph="cod10k.json"):
    return program.call("model", "describe", program.graphs / graph, *more)


def _described(program, *more):
    code, output = _describe(program, "--json", *more)
    require(code == 0, "exit %d\n%s" % (code, output))
    return json.loads(output)


def network_is_described_by_part(program):
    """The demo's network, as tables."""
    code, output = _describe(program)
    require(code == 0, "exit %d\n%s" % (code, output))
    for words in ("graph    cod10k-demo", "profile  demo: COD10K_ROOT is not set", "input    64 x 64, batch 16, ",
                  "trainer: camoxpert on edgenext_xx_small, encoder gate, linear attention, 3 of 7 experts an image"):
        require(words in output, "lacks %r:\n%s" % (words, output))
    rows = [line.split() for line in output.splitlines()]
    for name in ("backbone", "stages_3", "sdta_blocks.0", "moe_layers.2", "gate", "decoder_blocks.3", "deep_heads.1", "final_conv"):
        require(any(row[:1] == [name] and len(row) == 4 for row in rows), "no row %s:\n%s" % (name, output))
    require(any(row[:2] == ["experts.5", "semantic_context"] for row in rows), output)
    require(any(row[:1] == ["contrast"] and row[-1] == "yes" for row in rows), output)
    print(output)


def description_follows_the_graph(program):
    whole = _described(program)["whole"]
    require(whole["parameters"] == whole["trainable"] == sum(part["parameters"] for part in whole["parts"]), "parts don't add up")
    twice = _described(program, "--batch", 32)
    require(twice["batch"] == 32 and abs(twice["whole"]["held_bytes"] - 2 * whole["held_bytes"]) < 100, "twice the batch holds twice as much")
    require(twice["whole"]["multiply_adds"] == whole["multiply_adds"], "one image's multiply-adds don't depend on the batch")
    wide = _described(program, *sets(stages__augment__size="[128,64]", stages__val_resize__size="[128,64]"))
    require((wide["height"], wide["width"]) == (128, 64), wide)
    ratio = wide["whole"]["multiply_adds"] / whole["multiply_adds"]
    require(1.9 < ratio < 2.1, "twice the pixels, %.2f of the multiply-adds" % ratio)
    few = _described(program, *sets(stages__trainer__model__experts='["edge","texture"]', stages__trainer__model__top_k=1))
    require([e["name"] for e in few["experts"] if e["used"]] == ["texture", "edge"], few["experts"])
    require(few["whole"]["parameters"] < whole["parameters"], "two experts have fewer parameters than seven")
    half = _described(program, "--precision", "bf16")
    require(half["precision"] == "bf16" and half["whole"]["held_bytes"] < whole["held_bytes"], half)
    print("%.1f M multiply-adds and %.1f MB held of the demo's batch" % (whole["multiply_adds"] / 1e6, whole["held_bytes"] / 1e6))


def phases_are_described_where_they_differ(program):
    def phase(name, side, batch):
        return '{"name": "%s", "epochs": 1, "set": {"/stages/augment/size": [%d, %d], "/stages/staging/batch": %d}}' % (name, side, side, batch)
    phases = "--set=/phases=[%s, %s, %s]" % (phase("small", 64, 16), phase("again", 64, 16), phase("large", 96, 4))
    code, output = _describe(program, phases)
    require(code == 0, "exit %d\n%s" % (code, output))
    heads = [line for line in output.splitlines() if line.startswith(("phase", "input"))]
    require(len(heads) == 4 and heads[0] == "phases   small, again" and heads[1].startswith("input    64 x 64, batch 16, ")
            and heads[2] == "phase    large" and heads[3].startswith("input    96 x 96, batch 4, "), output)
    lines = [json.loads(line) for line in program.ok("model", "describe", program.graphs / "cod10k.json", "--json", phases).splitlines()]
    require([line["phases"] for line in lines] == [["small", "again"], ["large"]], lines)
    one = _described(program, phases, "--phase", "large")
    require(one == lines[1] and (one["height"], one["batch"]) == (96, 4), one)
    require(_described(program)["phases"] == [], "a graph without phases has none")
    for more, words in (((phases, "--phase", "lagre"), '--phase: "lagre" is no phase of it; allowed: "small", "again", "large"'),
                        (("--phase", "large"), "it has no phases"),
                        (("--set=/phases=[%s, %s]" % (phase("small", 64, 16), phase("tiny", 16, 4)),),
                         '/stages/trainer/model: in phase "tiny": images of 16 x 16 px come in')):
        code, output = _describe(program, *more)
        require(code == 2 and words in output, "exit %d, should say %r\n%s" % (code, words, output))


def plugins_network_is_described(program):
    folder = ("--plugin-path", program.plugins / "networks", "--set", "/stages/trainer/model=" + json.dumps(
        {"network": "networks.plain", "options": {"width": 8}, "choices": {"norm": "none"}}))
    code, output = _describe(program, *folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    require("network  trainer: networks.plain, width 8, norm none" in output and "expert" not in output, output)
    rows = {row[0]: row[1:] for row in map(str.split, output.splitlines()) if row}
    require(rows["first"][:2] == ["224", "0.88"] and rows["last"] == ["9", "-", "-"], "of parts that are marked the costs are said:\n" + output)
    described = _described(program, *folder)
    parts = {part["name"]: part for part in described["whole"]["parts"]}
    require({name: part["parameters"] for name, part in parts.items()} == {"first": 3 * 9 * 8 + 8, "last": 8 + 1}
            and described["experts"] == [], described)
    require(parts["first"]["multiply_adds"] == 64 * 64 * 3 * 9 * 8 and "multiply_adds" not in parts["last"], described)
    require(described["whole"]["multiply_adds"] == 64 * 64 * (3 * 9 * 8 + 8), described["whole"])
    require(described["whole"]["held_bytes"] > 0, described["whole"])
    for change, words in (("options/widht=8", '/stages/trainer/model/options/widht: networks.plain: "widht" is not among this network\'s options'),
                          ("top_k=2", '/stages/trainer/model/top_k: is for camoxpert, and the network is "networks.plain"'),
                          ("network=netwroks.plain", '/stages/trainer/model/network: nothing provides "netwroks.plain" as'),
                          ("network=networks.plian", '/stages/trainer/model/network: nothing provides "networks.plian" as flowtrain.model.Network/1, did you mean "networks.plain"?')):
        code, output = _describe(program, *folder, "--set", "/stages/trainer/model/" + change)
        require(code == 2 and words in output, "%s: exit %d\n%s" % (change, code, output))


def large_images_are_described_at_once(program):
    """What does not fit into memory, from what smaller images cost."""
    size = sets(stages__augment__size="[16384,16384]")
    whole = _described(program, "--batch", 1, *size)["whole"]
    small = _described(program, "--batch", 1, *sets(stages__augment__size="[512,512]"))["whole"]
    ratio = whole["held_bytes"] / small["held_bytes"] / 32**2
    print("%.1f TB held of an image of 16384 px" % (whole["held_bytes"] / 1e12))
    require(0.9 < ratio < 1.1, "1024 times the pixels hold %.3f of 1024 times as much" % ratio)


def what_cannot_be_described_is_said(program):
    for arguments, graph, words in (
        ((), "quickstart.json", "no stage is of the type train.segmentation"),
        (("--set", "/stages/staging/batch=0"), "cod10k.json", "/stages/staging/batch: 0 is out of range"),
        (("--set", "/stages/trainer/modle={}"), "cod10k.json", 'unknown parameter "modle", did you mean "model"?'),
        (sets(stages__trainer__model__experts='["edge"]'), "cod10k.json", "/stages/trainer/model: top_k: 3 is out of range"),
        ((), "nowhere.json", "there is no file"),
        (("--profile", "dmeo"), "cod10k.json", 'did you mean "demo"?'),
        (("--btach", "3"), "cod10k.json", "--btach"),
        (sets(stages__augment__size="[64,16]", stages__val_resize__size="[64,16]"), "cod10k.json", "images of 64 x 16 px come in; networks take 32 px"),
        (("--batch", "0"), "cod10k.json", "--batch"),
        (("--precision", "fp8"), "cod10k.json", "--precision"),
    ):
        code, output = _describe(program, *arguments, graph=graph)
        require(code == 2 and words in output, "%s %s: exit %d, should say %r\n%s" % (graph, arguments, code, words, output))
    code, output = program.call("model", "describe")
    require(code == 2 and "file is required" in output, "exit %d\n%s" % (code, output))
    output = program.ok("model", "describe", "--help")
    require("--precision" in output and "FILE" in output, output)
    require("model describe" in program.ok("help") and "model describe" in program.ok("stages"), "it is not listed")
