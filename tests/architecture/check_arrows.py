#!/usr/bin/env python3
"""Checks who includes and who links whom.

stages -> pipeline/api, stages/train -> model, the program -> pipeline; nothing else.
check_arrows.py SOURCE [--build BUILD]   lists what is against it; exit 1 where there is something
check_arrows.py SOURCE --plant           plants each kind of fault in a copy; exit 1 where one is not caught
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
TORCH = ("torch/", "ATen/", "c10/", "caffe2/")
IMAGES = ("opencv2/", "jpeglib.h", "turbojpeg.h", "spng.h", "png.h")
FRAMEWORK = ("oneapi/tbb", "tbb/", "prometheus/", "spdlog/", "nlohmann/", "CLI/", "civetweb", "CivetServer")


def forbidden_includes(path):
    """Prefixes that a file (relative to the source tree) must not include."""
    part = path.parts
    if part[:2] == ("pipeline", "api"):
        return ("pipeline/", "stages/", "model/") + TORCH + IMAGES + FRAMEWORK
    if part[0] == "pipeline":
        return ("stages/", "model/") + TORCH + IMAGES
    if part[:2] == ("model", "metrics"):
        # Scores images in parallel, also where LibTorch is absent.
        return ("pipeline/", "stages/", "flowtrain/") + TORCH + IMAGES + tuple(f for f in FRAMEWORK if f != "oneapi/tbb")
    if part[0] == "model":
        # A safetensors file begins with JSON.
        return ("pipeline/", "stages/", "flowtrain/") + IMAGES + tuple(f for f in FRAMEWORK if f != "nlohmann/")
    # A plugin's command reads its arguments as the program's own do.
    framework = tuple(f for f in FRAMEWORK if not (f == "CLI/" and path.name == "command.cc"))
    if part[:2] == ("stages", "train"):
        return ("pipeline/",) + framework
    if part[0] == "stages":
        return ("pipeline/", "model/") + TORCH + framework
    return ()


def sources(root):
    for folder in ("pipeline", "stages", "model"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc", ".cu"):
                yield path.relative_to(root)


def check_includes(root):
    faults = []
    speaks_make_edge = []
    for path in sources(root):
        text = (root / path).read_text(errors="replace")
        if "make_edge(" in text:
            speaks_make_edge.append(str(path))
        for header in INCLUDE.findall(text):
            # ../ would go around the names that are looked at.
            target = header
            if header.startswith(".."):
                target = str((root / path.parent / header).resolve().relative_to(root.resolve()))
            if target.startswith(forbidden_includes(path)):
                faults.append(f"{path} includes {header}")
            elif path.parts[0] == "stages" and target.startswith("stages/") and not target.startswith(f"stages/{path.parts[1]}/"):
                faults.append(f"{path} includes {header}, which is another plugin's")
    if len(speaks_make_edge) > 1:
        faults.append("make_edge is called in more than one file: " + ", ".join(speaks_make_edge))
    return faults


def needed(library):
    text = subprocess.run(["readelf", "-dW", str(library)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+?)\]", text)


def link_faults(links):
    """`links`: what each built file needs, by its name. Follows flowtrain's own libraries."""
    faults = []
    for name in links:
        reached, ahead = set(), list(links[name])
        while ahead:
            library = ahead.pop()
            if library not in reached:
                reached.add(library)
                ahead += links.get(re.sub(r"\.so\.\d.*", ".so", library), [])
        own = {m[1] for m in (re.match(r"libflowtrain_(\w+)\.so", r) for r in reached) if m}
        torch = [r for r in reached if re.match(r"lib(torch|c10)", r)]
        images = [r for r in reached if re.match(r"lib(opencv_|jpeg|spng|png)", r)]
        module = re.match(r"libflowtrain_(\w+)\.so", name)
        module = module[1] if module else name
        # The half of the train plugin that is opened at the first Create.
        hosts_torch = module.startswith("train_")
        allowed = {"flowtrain": {"api"}, "api": set(), "model": set()}.get(module, {"api", "model"} if hosts_torch else {"api"})
        faults += [f"{name} links libflowtrain_{other}.so" for other in sorted(own - allowed)]
        if torch and not hosts_torch and module != "model":
            faults.append(f"{name} links {torch[0]}")
        if images and module in ("flowtrain", "api"):
            faults.append(f"{name} links {images[0]}")
        if module == "api":
            faults += [f"{name} links {r}" for r in sorted(reached) if not re.match(r"(lib(stdc\+\+|m|gcc_s|c)|ld-linux-.*)\.so", r)]
    return faults


def check_links(build):
    links = {p.name: needed(p) for p in sorted(build.glob("libflowtrain_*.so"))}
    if (build / "flowtrain").is_file():
        links["flowtrain"] = needed(build / "flowtrain")
    if "libflowtrain_api.so" not in links:
        return [f"{build} holds no libflowtrain_api.so: nothing to check"]
    return link_faults(links)


PLANTED_INCLUDES = [
    ("pipeline/config/load.cc", '#include "stages/image/decode.h"'),
    ("pipeline/api/value.cc", "#include <nlohmann/json.hpp>"),
    ("pipeline/api/flowtrain/value.h", '#include "../../config/nearest.h"'),
    ("pipeline/graph/planted.cc", "#include <torch/torch.h>"),
    ("pipeline/memory/planted.cc", "# include <opencv2/core.hpp>"),
    ("stages/image/planted.cc", '#include "pipeline/config/load.h"'),
    ("stages/image/planted.cc", '#include "stages/data/listing.h"'),
    ("stages/data/planted.cc", '#include "model/network.h"'),
    ("stages/train/planted.cc", '#include "pipeline/graph/executor.h"'),
    ("model/planted.cc", "#include <flowtrain/stage.h>"),
    ("model/planted.cc", '#include "stages/train/x.h"'),
    ("model/metrics/planted.cc", "#include <ATen/ATen.h>"),
    ("model/planted.cc", "#include <oneapi/tbb/parallel_for.h>"),
]
PLANTED_LINKS = [
    {"flowtrain": ["libflowtrain_image.so"]},
    {"flowtrain": ["libtorch_cpu.so"]},
    {"flowtrain": ["libflowtrain_api.so.0"], "libflowtrain_api.so": ["libc10.so"]},
    {"libflowtrain_image.so": ["libflowtrain_data.so"]},
    {"libflowtrain_train.so": ["libflowtrain_model.so"]},
    {"libflowtrain_train.so": ["libtorch_cpu.so"]},
    {"libflowtrain_model.so": ["libflowtrain_api.so.0"]},
    {"libflowtrain_api.so": ["libtbb.so.12"]},
]


def check_planted(root):
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch)
        for path in sources(root):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, copy / path)
        before = set(check_includes(copy))
        for name, line in PLANTED_INCLUDES + [("pipeline/memory/planted.cc", "void f() { make_edge(); } // make_edge()")]:
            target = copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            old = target.read_text() if target.exists() else None
            target.write_text(line + "\n" + (old or ""))
            other = copy / "pipeline/graph/planted_too.cc"
            other.parent.mkdir(parents=True, exist_ok=True)
            if "make_edge" in line:
                other.write_text(line)
            caught = sorted(set(check_includes(copy)) - before)
            print("caught: " + caught[0] if caught else f"NOT CAUGHT: {name}: {line}")
            missed += [] if caught else [name]
            other.unlink(missing_ok=True)
            if old is None:
                target.unlink()
            else:
                target.write_text(old)
    for links in PLANTED_LINKS:
        caught = link_faults(links)
        print("caught: " + caught[0] if caught else f"NOT CAUGHT: {links}")
        missed += [] if caught else [str(links)]
    good = {"flowtrain": ["libflowtrain_api.so.0", "libtbb.so.12", "libc.so.6"], "libflowtrain_api.so": ["libstdc++.so.6", "libc.so.6"],
            "libflowtrain_train.so": ["libflowtrain_api.so.0"], "libflowtrain_model.so": ["libtorch_cpu.so"],
            "libflowtrain_train_torch.so": ["libflowtrain_model.so", "libflowtrain_api.so.0", "libc10.so"]}
    wrong = link_faults(good)
    print("\n".join("WRONGLY CAUGHT: " + fault for fault in wrong), end="\n" if wrong else "")
    return missed + wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--plant", action="store_true")
    arguments = parser.parse_args()
    if arguments.plant:
        return 1 if check_planted(arguments.source) else 0
    faults = check_includes(arguments.source)
    if arguments.build:
        faults += check_links(arguments.build)
    print("\n".join(faults) if faults else "every include and link follows the arrows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
