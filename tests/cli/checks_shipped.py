"""Checks of the graphs that ship and have no check of their own, and of what pages say is there."""
import csv
import json
import re

from checks import require
from program import hashes, records, sets


def imagenet100_runs_on_a_set_of_its_own(program):
    """Cuts of the 100 classes' pictures, and the validation half beside them; each once."""
    file = program.folder / "hashes"
    output = program.ok("run", program.graphs / "imagenet100.json", "--out", program.runs, "--batch-hashes", file, *sets(metrics__listen="127.0.0.1:0"))
    require("IMAGENET_ROOT is not set: this reads 300 pictures of 100 classes" in output, output)
    lines = hashes(file)
    count = {sink: sum(line.split()[0].startswith(sink) for line in lines) for sink in ("sink", "val_sink")}
    require(count == {"sink": 9, "val_sink": 4} and len({line.split()[-1] for line in lines}) == 13, "batches: %s" % lines)
    for line in (r"sink: rows taken in +288", r"val_sink: rows taken in +100"):
        require(re.search("^" + line + "$", output, re.M), "not said: %s\n%s" % (line, output))
    waited = float(re.search(r"^waited +(\S+)% of the time", output, re.M)[1])
    require(0 <= waited <= 100, "two sinks can't have waited %s%% of the time" % waited)
    for half, each in (("train", 3), ("val", 1)):
        listed = re.search(r"listed in (\S+/%s-100-\S+\.tsv)" % half, output)
        require(listed, "it is not said where what was drawn is listed:\n" + output)
        with open(listed[1], newline="") as rows:
            labels = sorted(int(row["label"]) for row in csv.DictReader(rows, delimiter="\t"))
        require(labels == sorted(list(range(100)) * each), "%s: labels %s" % (half, labels))
    require(list(program.run_folder().glob("preview/*.png")), "there is no preview")
    require("IMAGENET_ROOT=/path/to/your/images flowtrain run" in output, "the way to one's own images is not offered:\n" + output)


def shipped_graphs_are_in_the_readme(program):
    text = (program.graphs.parent / "README.md").read_text()
    types = set(re.findall(r"^  (\S+)  \[", program.ok("stages"), re.M))
    for path in sorted(program.graphs.glob("*.json")):
        require("graphs/" + path.name in text, "README.md does not name graphs/%s" % path.name)
        used = set(re.findall(r'"type": "([^"]+)"', path.read_text()))
        if used <= types:
            require("ok: the graph is right" in program.ok("validate", path), "validate of %s" % path)
        else:
            print("%s needs a plugin that is not built" % path.name)


def _names(specs):
    return {spec["name"]: spec for spec in specs}


def names_from_pytorch_lead_to_what_there_is(program):
    """Of the table that stages/README.md shows: every parameter, stage and op in a row exists."""
    types = set(re.findall(r"^  (\S+)  \[", program.ok("stages"), re.M)) | {"staging"}
    page = (program.graphs.parent / "stages/README.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (?:DataLoader|DistributedSampler|torchvision) \| (.*) \|$", page, re.M)
    top = json.loads(program.ok("schema"))["properties"]

    def described(type_):
        return json.loads(program.ok("describe", type_, "--json"))

    of = {"source": _names(described("data.list")["framework_parameters"]), "transform": _names(described("image.decode")["framework_parameters"]),
          "run": top["run"]["properties"], "staging": _names(described("staging")["framework_parameters"] + described("staging")["parameters"])}
    found = 0
    for name, here in rows:
        for where, path in re.findall(r'"([a-z_.]+)/([a-z_/]+)"', here):
            if "." in where and where not in types:
                print("%s: the plugin of %s is not built" % (name, where))
                continue
            fields = of[where] if where in of else _names(described(where)["parameters"])
            for step in path.split("/"):
                require(step in fields, "%s: there is no %s/%s" % (name, where, path))
                fields, found = _names(fields[step].get("fields", [])), found + 1
        for stage in re.findall(r'"((?:data|image)\.\w+)', here):
            require(stage in types, "%s: there is no stage %s" % (name, stage))
        for op in re.findall(r'op "(\w+)" of "image.augment"', here):
            ops = _names(described("image.augment")["parameters"])["ops"]["element"]["alternatives"]
            require(op in {alternative["tag"] for alternative in ops}, "%s: there is no op %s" % (name, op))
            found += 1
    require(len(rows) >= 30 and found >= 30, "%d rows, %d parameters and ops" % (len(rows), found))
    print("%d rows lead to %d parameters and ops" % (len(rows), found))
