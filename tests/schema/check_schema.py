#!/usr/bin/env python3
"""Holds `flowtrain schema` against `flowtrain validate`, with python's jsonschema.

    check_schema.py --program flowtrain --graphs FOLDER --plugins FOLDER

The shipped graphs pass; graphs with one thing broken at the top are refused by both; and for every
parameter of every stage a family of values (cases.py) is accepted by both or refused by both. Exit: 0
they agree, 1 not, 77 there is no jsonschema (Debian's python3-jsonschema).
"""
import argparse
import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cases

try:
    import jsonschema
except ImportError:
    print("skipped: python's jsonschema is needed (Debian's python3-jsonschema)")
    sys.exit(77)


def plain_json(text):
    """The value of JSON with // comments."""
    return json.loads(re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda m: m[1] or "", text))


class Program:
    def __init__(self, path, folder, plugin_path):
        self._path, self._plugin_path = str(path.resolve()), str(plugin_path)
        self._graph = pathlib.Path(folder, "graph.json")
        self._env = {k: v for k, v in os.environ.items() if k not in ("COD10K_ROOT", "IMAGENET_ROOT", "FLOWTRAIN_PLUGIN_PATH", "FLOWTRAIN_UNSET")}

    def _run(self, *arguments):
        command = [self._path, *map(str, arguments), "--plugin-path", self._plugin_path]
        return subprocess.run(command, env=self._env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)

    def ok(self, *arguments):
        result = self._run(*arguments)
        assert result.returncode == 0, (arguments, result.stdout, result.stderr)
        return result.stdout

    def faults(self, graph):
        """[(pointer, message)] of validating it."""
        self._graph.write_text(json.dumps(graph))
        result = self._run("validate", self._graph, "--profile", "none")
        assert result.returncode in (0, 2), result.stderr
        lines = result.stderr.splitlines() if result.returncode == 2 else []
        assert not any(re.search(r" more faults?$", line) for line in lines), "not all faults are told: " + lines[-1]
        return [re.match(r"%s: (?:(/\S*|line \d+, column \d+): )?(.*)$" % re.escape(str(self._graph)), line).groups("") for line in lines]


def check_shipped(validator, graphs, types):
    wrong = []
    for path in sorted(graphs.glob("*.json")):
        graph = plain_json(path.read_text())
        absent = sorted(name for name, stage in graph["stages"].items() if stage["type"] not in types)
        for name in absent:
            del graph["stages"][name]
        wrong += ["%s: %s: %s" % (path.name, error.json_path, error.message) for error in validator.iter_errors(graph)]
        print("%s passes%s" % (path.name, ", looked at without %s, whose plugin is not built" % ", ".join(absent) if absent else ""))
    return wrong


def _broken(graph):
    """(what, graph) with one thing wrong that is no parameter of a stage."""
    def put(pointer, value):
        broken = copy.deepcopy(graph)
        *path, last = pointer.split("/")
        target = broken
        for step in path:
            target = target.setdefault(step, {})
        target[last] = value
        return "%s = %s" % (pointer, json.dumps(value)), broken

    for key in ("stages", "edges"):
        yield "no " + key, {k: v for k, v in graph.items() if k != key}
        for value in (None, 1, "x"):
            yield put(key, value)
    for value in (None, 1, "a b", ".x", "a/b", "${", "a" * 201):
        yield put("name", value)
    for value in (None, "1", -1, 1.5, 2**63):
        yield put("seed", value)
    yield put("stages", {})
    yield put("stages", [])
    yield put("edges", {})
    yield put("edges", [*graph["edges"], 1])
    yield put("edges", [*graph["edges"], "files"])
    yield put("sead", 1)
    for name in ("a b", "a.b", "a/b", ""):
        broken = copy.deepcopy(graph)
        broken["stages"][name] = broken["stages"].pop("preview")
        yield "a stage named %r" % name, broken
    for value in (None, "image.decode", [], {}):
        yield put("stages/preview", value)
    for section, key, value in (("metrics", "listen", 1), ("metrics", "port", 9464), ("metrics", "required", "yes"),
                                ("run", "dir", 1), ("run", "keep", 0), ("run", "keep", "3"), ("run", "threads", 1025),
                                ("run", "stall_timeout", "5 parsecs"), ("run", "stall_timeout", 0), ("run", "max_bad_share", 1.1), ("run", "no_such_key", 1)):
        yield put("%s/%s" % (section, key), value)
    for value in (None, [], "x"):
        yield put("profiles", value)
        yield put("metrics", value)
        yield put("run", value)
        yield put("profiles/demo", value)
        yield put("profiles/demo/set", value)
    for value in (None, {}, [], [1], [{"name": "a"}], [{"epochs": 1}], [{"name": "", "epochs": 1}],
                  [{"name": "a b", "epochs": 1}], [{"name": "a/b", "epochs": 1}], [{"name": "a" * 95, "epochs": 1}], [{"name": "a", "epochs": 2.5}],
                  [{"name": "a", "epochs": 2**31 + 1}], [{"name": 1, "epochs": 1}],
                  [{"name": "a", "epochs": 0}], [{"name": "a", "epochs": "1"}], [{"name": "a", "epochs": 1, "sets": {}}],
                  [{"name": "a", "epochs": 1, "set": []}], [{"name": "a", "epochs": 1, "set": {"/seed": 1}}],
                  [{"name": "a", "epochs": 1, "set": {"/stages/staging": 1}}],
                  [{"name": "a", "epochs": 1, "set": {"/stages/decode/type": "image.augment"}}]):
        yield put("phases", value)
    yield put("profiles/none", {"set": {}})
    yield put("profiles/demo", {"when": "X"})
    yield put("profiles/demo/when_unset", 1)
    yield put("profiles/demo/why", ["x"])


def check_top(validator, program, graph):
    wrong, count = [], 0
    assert not program.faults(graph) and validator.is_valid(graph)
    for fine in ({"name": "${FLOWTRAIN_UNSET:-a}"}, {"name": "a" * 200}, {"seed": 2**63 - 1}, {"run": {"stall_timeout": "2 min"}}, {"metrics": {}},
                 {"profiles": {"x": {"when_unset": "A", "why": "b", "set": {"/seed": 1}}, "y": {}}},
                 {"phases": [{"name": "a.b-c_1", "epochs": 2.0}]}, {"phases": [{"name": "${FLOWTRAIN_UNSET:-a}", "epochs": 1}]},
                 {"phases": [{"name": "a", "epochs": 1, "set": {"/stages/staging/batch": 4}}, {"name": "b", "epochs": 2}]}):
        whole = {**graph, **fine}
        if program.faults(whole) or not validator.is_valid(whole):
            wrong.append("%s should pass: %s %s" % (fine, program.faults(whole), validator.is_valid(whole)))
    for what, broken in _broken(graph):
        count += 1
        refused = [bool(program.faults(broken)), not validator.is_valid(broken)]
        if refused != [True, True]:
            wrong.append("%s is refused by: validate %s, the schema %s" % (what, *refused))
    print("%d graphs broken at the top: refused by both" % count)
    return wrong


def stage_cases(description):
    """Stages of one type, each to be accepted or refused."""
    own = {"type": description["type"]}
    specs = description["parameters"] + description["framework_parameters"]
    stages = cases.objects(specs, own)
    fine = {**own, **cases.good_fields(specs)}
    stages += [{**fine, "type": value} for value in (None, 1, own["type"] + "x", "${FLOWTRAIN_UNSET:-%s}" % own["type"])]
    stages.append({key: value for key, value in fine.items() if key != "type"})
    return stages


def check_stages(validator, program, types):
    wrong, counts, parameters = [], {True: 0, False: 0}, 0
    for type_ in types:
        description = json.loads(program.ok("describe", type_, "--json"))
        parameters += len(description["parameters"]) + len(description["framework_parameters"])
        stages = {"c%d" % i: stage for i, stage in enumerate(stage_cases(description))}
        refused = {}
        names = list(stages)
        # Of a graph's faults a hundred are told, and a stage has one or two.
        for some in (names[i:i + 40] for i in range(0, len(names), 40)):
            for pointer, message in program.faults({"stages": {name: stages[name] for name in some}, "edges": []}):
                name = pointer.split("/")[2] if pointer.count("/") >= 2 else None
                # What no stage of its own can help: edges are outside the schema's claim.
                if name and not message.startswith("no edge leads to or from"):
                    refused.setdefault(name, "%s: %s" % (pointer, message))
        for name, stage in stages.items():
            errors = list(validator.iter_errors({"stages": {name: stage}, "edges": []}))
            counts[not errors] += 1
            if bool(errors) != (name in refused):
                wrong.append("%s\n    validate: %s\n    schema: %s" % (json.dumps(stage), refused.get(name, "accepted"), errors[0].message if errors else "accepted"))
    print("%d stage types, %d parameters: %d cases accepted by both, %d refused by both" % (len(types), parameters, counts[True], counts[False]))
    if not all(counts.values()):
        wrong.append("all cases were accepted, or all refused")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    for name in ("--program", "--graphs", "--plugins"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="flowtrain-schema-") as folder:
        # A plugin with parameters under old names and one with parameters of every kind.
        plugins = ":".join(str((options.plugins / name).resolve()) for name in ("renamed", "kinds"))
        program = Program(options.program, folder, plugins)
        schema = json.loads(program.ok("schema"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        types = re.findall(r"^  (\S+)  \[", program.ok("stages"), re.M)
        assert {"renamed.blur", "kinds.all", "staging", "image.augment"} <= set(types), types
        wrong = check_shipped(validator, options.graphs, types)
        wrong += check_top(validator, program, plain_json((options.graphs / "quickstart.json").read_text()))
        wrong += check_stages(validator, program, types)
        blur = schema["$defs"]["renamed.blur"]["properties"]
        if blur["std"].get("deprecated") is not True or "deprecated" in blur["sigma"]:
            wrong.append("an old name is not marked as deprecated: %s" % blur)
    for line in wrong[:20]:
        print(line)
    if wrong:
        print("%d disagreements" % len(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
