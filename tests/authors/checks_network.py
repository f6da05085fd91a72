"""Checks of the example that brings a network of its own."""
import json
import math
import re
import shutil

from checks import require
from installed import fenced


def _quoted(path):
    return "'" + str(path).replace("'", "'\\''") + "'"


def _copied(installed):
    folder = installed.folder / "unet"
    shutil.copytree(installed.prefix / "share" / "flowtrain" / "plugin_template" / "examples" / "unet", folder)
    return folder, "export PATH=%s:\"$PATH\"\n" % _quoted(installed.prefix / "bin")


def _records(run, kind):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]


def own_network_trains_and_goes_on(installed):
    folder, path = _copied(installed)
    code, output = installed.follow(path + fenced((folder / "README.md").read_text()), folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    torch = re.search(r"^FLOWTRAIN_TORCH\S*=(.+)$", (installed.build / "CMakeCache.txt").read_text(), re.M)
    installed.require_apart(folder / "build", but=torch[1] if torch else None)
    whole, narrow = sorted((folder / "runs").iterdir(), key=lambda run: run.stat().st_mtime)
    losses = [record["loss"] for record in _records(whole, "train")]
    validated = _records(whole, "val")
    print("%d steps, loss %.3f -> %.3f; IoU %s" % (len(losses), losses[0], losses[-1], ["%.3f" % v["iou"] for v in validated]))
    require(len(losses) == 64 and sum(losses[-16:]) < 0.8 * sum(losses[:16]), "the loss does not fall: %s" % losses)
    require(len(validated) == 4 and all(v["images"] == 32 and math.isfinite(v["iou"]) for v in validated), "validated: %s" % validated)
    require("unet.plain: 0.12 M parameters" in output and "unet.plain: 0.03 M parameters" in output,
            "the option does not reach the network:\n" + output)
    require(len(_records(narrow, "train")) == 16, "the second run has one epoch")
    _resumed_is_the_same(installed, folder, losses)
    _refused_in_place(installed, folder)
    _opened_when_needed(installed, folder)
    code, output = installed.program("model", "describe", "graph.json", "--plugin-path", "build", "--json", cwd=folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    parts = {part["name"]: part for part in json.loads(output)["whole"]["parts"]}
    require(set(parts) == {"down_0", "down_1", "down_2", "down_3", "up_0", "up_1", "up_2", "head"}
            and all(part["multiply_adds"] > 0 for part in parts.values()), "described: %s" % output)


def _resumed_is_the_same(installed, folder, losses):
    """Cut off in mid-epoch, and gone on with; and weights to begin with."""
    run = ("run", "graph.json", "--plugin-path", "build", "--set", "/run/dir=parts")
    code, output = installed.program(*run, "--set", "/stages/trainer/max_steps=12", cwd=folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    kept, = (folder / "parts").iterdir()
    code, output = installed.program(*run, "--set", "/stages/trainer/max_steps=20", "--resume", kept, cwd=folder)
    require(code == 0 and "goes on after step 12" in output, "exit %d\n%s" % (code, output))
    resumed = [record["loss"] for record in _records(kept, "train")]
    require(resumed == losses[:20], "the resumed run has other losses:\n%s\n%s" % (resumed, losses[:20]))
    code, output = installed.program(*run, "--set", "/stages/trainer/max_steps=1", "--set", "/stages/trainer/model/options/width=4",
                                     "--resume", kept, cwd=folder)
    require(code == 2 and "/stages/trainer/model/options" in output, "exit %d\n%s" % (code, output))
    weights = max((kept / "checkpoints").rglob("model.safetensors"), key=lambda file: file.stat().st_mtime)
    code, output = installed.program("run", "graph.json", "--plugin-path", "build", "--set", "/stages/trainer/max_steps=1",
                                     "--set", "/run/dir=begun", "--set", "/stages/trainer/model/init=%s" % weights, cwd=folder)
    require(code == 0 and re.search(r"model/init: \d+ entries from ", output), "exit %d\n%s" % (code, output))


def _refused_in_place(installed, folder):
    for change, words in {
        "network=unet.plian": ("model/network: nothing provides \"unet.plian\" as flowtrain.model.Network/1, did you mean \"unet.plain\"?",
                               "plugins loaded: "),
        "network=nets.plain": ("model/network: ", "there is no plugin \"nets\" (libflowtrain_nets.so); searched build (has "),
        "network=camoxprt": ("model/network: \"camoxprt\" is no choice, did you mean \"camoxpert\"? Allowed: \"camoxpert\", or <plugin>.<name>, which a plugin provides",),
        "options/widht=8": ("model/options/widht: unet.plain: \"widht\" is not among this network's options; allowed: \"width\"",),
        "options/width=0": ("model/options/width: unet.plain: 0 is out of range: expected a number from 1 to 1024",),
        "top_k=2": ("model/top_k: is for camoxpert, and the network is \"unet.plain\": leave it out",),
        "backbone_weights=a.safetensors": ("model/backbone_weights: is for camoxpert",),
    }.items():
        code, output = installed.program("run", "graph.json", "--plugin-path", "build", "--set", "/stages/trainer/model/" + change, cwd=folder)
        require(code == 2, "%s: exit %d\n%s" % (change, code, output))
        said = " ".join(output.split())
        for word in tuple("/stages/trainer/" + word if word.startswith("model/") else word for word in words):
            require(word in said, "%s: %r is not in the output:\n%s" % (change, word, output))
        print(output.strip().splitlines()[-1])


def _opened_when_needed(installed, folder):
    """Listing opens the plugin alone; validating the graph opens neither it nor LibTorch."""
    code, output = installed.program("stages", "--plugin-path", "build", cwd=folder)
    require(code == 0 and "unet.plain  [flowtrain.model.Network/1]" in output, "exit %d\n%s" % (code, output))
    code, output = installed.program_with({"LD_DEBUG": "files"}, "validate", "graph.json", "--plugin-path", "build", cwd=folder)
    opened = set(re.findall(r"\S*lib(?:torch|c10|flowtrain)\w*\.so", output))
    require(code == 0 and any("libflowtrain_train.so" in library for library in opened), "exit %d\n%s" % (code, output[-2000:]))
    heavy = [library for library in opened if re.search(r"libtorch|libc10|_unet|_model|train_torch", library)]
    require(not heavy, "validate opens %s" % heavy)


def package_without_model_says_so(installed):
    folder, path = _copied(installed)
    for targets in (installed.prefix / "lib").rglob("flowtrainModelTargets*.cmake"):
        targets.unlink()  # what FLOWTRAIN_TRAIN=OFF does not install
    code, output = installed.follow(path + "cmake -S . -B build\n", folder)
    said = " ".join(output.split())
    require(code != 0 and "this flowtrain was built without its model library (FLOWTRAIN_TRAIN=OFF)" in said, "exit %d\n%s" % (code, output))
    lists = folder / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace(" COMPONENTS model", ""))
    code, output = installed.follow(path + "cmake -S . -B build\n", folder)
    said = " ".join(output.split())
    require(code != 0 and "NETWORK) needs find_package(flowtrain CONFIG REQUIRED COMPONENTS model)" in said, "exit %d\n%s" % (code, output))


def package_finds_libtorch_where_it_was_or_is_told(installed):
    folder, path = _copied(installed)
    code, output = installed.follow(path + "cmake -S . -B build -DFLOWTRAIN_TORCH=/no/such/torch\n", folder)
    said = " ".join(output.split())
    require(code != 0 and "its model library needs LibTorch 2.11" in said and "-DFLOWTRAIN_TORCH=" in said, "exit %d\n%s" % (code, output))
