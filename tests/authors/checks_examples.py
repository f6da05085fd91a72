"""Checks of the examples that stand beside the template."""
import shutil

from checks import require
from installed import fenced


def examples_work_word_for_word(installed):
    folder = installed.folder / "examples"
    shutil.copytree(installed.prefix / "share" / "flowtrain" / "plugin_template" / "examples", folder)
    path = "export PATH='%s':\"$PATH\"\n" % str(installed.prefix / "bin").replace("'", "'\\''")
    code, output = installed.follow(path + fenced((folder / "README.md").read_text()), folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    require("100% tests passed, 0 tests failed out of 2" in output, output)
    require(output.count("all done") == 2, "two graphs should have run:\n" + output)
    mean = [line for line in output.splitlines() if line.split()[:1] == ["mean"]]
    require(len(mean) == 1 and 0.2 < float(mean[0].split()[1]) < 0.5, "mean of stripes one in 2 to 5 wide: %s\n%s" % (mean, output))
    installed.require_apart(folder / "build")
    print(mean[0])
    _checked(installed, folder)
    _same_bytes_for_any_threads(installed, folder)
    _provided_found_and_missed(installed, folder)


def _checked(installed, folder):
    """`check` lets a stage find what another plugin provides, and takes a plugin that has no stage."""
    for arguments, words in {
        ("libflowtrain_tint.so", "--params", 'tint.mix={"colour": "palette.warm"}'): ("tint.mix  ok", "1 stage tried, 0 failed"),
        ("libflowtrain_palette.so",): ("palette.warm  provided as example.Palette/1", "0 stages tried, 0 failed"),
        ("libflowtrain_kinds.so",): ("kinds.window  ok", "1 stage tried, 0 failed, 4 not run"),
    }.items():
        code, output = installed.program("check", folder / "build" / arguments[0], *arguments[1:])
        require(code == 0, "check %s: exit %d\n%s" % (arguments, code, output))
        for word in words:
            require(word in output, "check %s: %r is not in the output:\n%s" % (arguments, word, output))
    code, output = installed.program("check", folder / "build" / "libflowtrain_tint.so", "--params", 'tint.mix={"colour": "palette.wram"}')
    require("did you mean \"palette.warm\"?" in " ".join(output.split()), "exit %d\n%s" % (code, output))


def _same_bytes_for_any_threads(installed, folder):
    hashes = []
    for threads in (1, 3):
        file = folder / ("hashes-%d" % threads)
        code, output = installed.program("run", "kinds/graph.json", "--plugin-path", "build", "--threads", threads, "--batch-hashes", file, cwd=folder)
        require(code == 0, "exit %d\n%s" % (code, output))
        hashes.append(sorted(file.read_text().splitlines()))
    require(hashes[0] == hashes[1] and len(hashes[0]) == 16, "%d and %d batches, not the same" % tuple(map(len, hashes)))


def _provided_found_and_missed(installed, folder):
    code, output = installed.program("stages", "--plugin-path", "build", cwd=folder)
    require(code == 0 and "palette.warm  [example.Palette/1]" in output, "exit %d\n%s" % (code, output))
    misses = {"palette.wram": ("did you mean \"palette.warm\"?", "\"palette.cold\"", "plugins loaded:"),
              "colours.warm": ("there is no plugin \"colours\" (libflowtrain_colours.so); searched", str(folder / "build"))}
    for colour, words in misses.items():
        code, output = installed.program("run", "tint/graph.json", "--plugin-path", folder / "build", "--set", "/stages/tint/colour=" + colour, cwd=folder)
        require(code == 2, "exit %d\n%s" % (code, output))
        for word in ("/stages/tint/colour", "nothing provides \"%s\" as example.Palette/1" % colour) + words:
            require(word in output, "%r is not in the output:\n%s" % (word, output))
        print(output.strip().splitlines()[-1])
    # Without the plugin that provides.
    (folder / "build" / "libflowtrain_palette.so").unlink()
    code, output = installed.program("run", "tint/graph.json", "--plugin-path", "build", cwd=folder)
    require(code == 2 and "nothing at all is provided as that; there is no plugin \"palette\"" in output, "exit %d\n%s" % (code, output))
