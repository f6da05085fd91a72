"""Checks of `flowtrain describe`: its layout, its JSON."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

from checks import require


def _types(program):
    return re.findall(r"^  (\S+)  \[", program.ok("stages"), re.M)


def _on_terminal(program, columns, *arguments):
    """What it prints on a terminal of so many columns."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([program.path, *arguments], env=program.env(), stdout=side, stdin=subprocess.DEVNULL) as process:
        os.close(side)
        text = b""
        while True:
            try:
                chunk = os.read(main, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            text += chunk
    os.close(main)
    require(process.returncode == 0, "exit %d of %s" % (process.returncode, arguments))
    return text.decode().replace("\r\n", "\n")


def _names(parameters):
    for parameter in parameters:
        yield parameter["name"]
        kind = parameter.get("element", parameter)
        yield from _names(kind.get("fields", []))
        for alternative in kind.get("alternatives", []):
            yield alternative["tag"]
            yield from _names(alternative["fields"])


def describe_is_laid_out_for_a_terminal(program):
    types = _types(program)
    require({"staging", "image.augment", "data.segmentation"} <= set(types), "stages lists %s" % types)
    kinds = ("--plugin-path", str(program.plugins / "kinds"))
    for type_ in [*types, "kinds.all"]:
        command = ("describe", type_, *kinds)
        for columns, text in ((100, program.ok(*command)), (80, _on_terminal(program, 80, *command)),
                              (80, _on_terminal(program, 40, *command)), (100, _on_terminal(program, 200, *command))):
            # Only a path is longer: it can't be broken.
            long = [line for line in text.splitlines() if len(line) > columns and not line.startswith("  plugin  ")]
            require(not long, "%s: lines of more than %d columns:\n%s" % (type_, columns, "\n".join(long)))
            stage = json.loads(program.ok(*command, "--json"))
            for name in _names(stage["parameters"] + stage["framework_parameters"]):
                require(re.search(r"^ +(?:\S+ = \")?%s\b" % name, text, re.M), "%s lacks %s:\n%s" % (type_, name, text))
            # Everything that is said of the parameters begins in one column.
            helps = {re.search(r"\S", line).start() for line in text.split("\nParameters\n")[-1].splitlines()
                     if re.match(r" {12,}\S", line)}
            tables = text.count("\nParameters")
            require(len(helps) <= tables, "%s: texts begin in the columns %s:\n%s" % (type_, sorted(helps), text))
    code, output = program.call("stages", "image.augment")
    require(code == 2, "`stages TYPE` is gone, but exits with %d\n%s" % (code, output))
    print("%d types described" % (len(types) + 1))


def describe_gives_json_to_tools(program):
    augment = json.loads(program.ok("describe", "image.augment", "--json"))
    require(augment["kind"] == "transform" and augment["plugin"]["name"] == "image", augment)
    require([flow["does"] for flow in augment["flows"]] == ["makes", "makes"], augment["flows"])
    parameters = {parameter["name"]: parameter for parameter in augment["parameters"]}
    size = parameters["size"]
    require((size["required"], size["unit"], size["min"], size["max"], size["min_size"], size["max_size"]) == (True, "px", 1, 16384, 2, 2), size)
    decode = json.loads(program.ok("describe", "image.decode", "--json"))
    truncated = next(parameter for parameter in decode["parameters"] if parameter["name"] == "truncated")
    require(truncated["choices"] == ["reject", "tolerate"] and truncated["default"] == "reject", truncated)
    tags = [alternative["tag"] for alternative in parameters["ops"]["element"]["alternatives"]]
    require(tags == ["flip", "rot90", "random_resized_crop", "center_crop", "affine", "jitter", "gray", "blur", "cutout"], tags)
    require([parameter["name"] for parameter in augment["framework_parameters"]] == ["rng_key"], augment)
    blur = json.loads(program.ok("describe", "renamed.blur", "--json", "--plugin-path", program.plugins / "renamed"))
    require(blur["parameters"][0]["old_names"] == [{"name": "std", "gone_in": "0.3"}], blur)
    text = program.ok("describe", "renamed.blur", "--plugin-path", program.plugins / "renamed")
    require('was named "std", which goes in 0.3' in " ".join(text.split()), text)


def describe_of_an_unknown_type_gets_the_nearest(program):
    code, output = program.call("describe", "image.augmnt")
    require(code == 2 and 'did you mean "image.augment"?' in output, "exit %d\n%s" % (code, output))
    code, output = program.call("describe")
    require(code == 2 and "type is required" in output, "exit %d\n%s" % (code, output))
