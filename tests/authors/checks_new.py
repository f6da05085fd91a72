"""Checks of `flowtrain plugin new`, and of what it makes."""
import re
import shutil

from checks import require
from installed import fenced


def new_plugin_works_word_for_word(installed):
    code, output = installed.program("plugin", "new", "blur")
    require(code == 0, "exit %d\n%s" % (code, output))
    folder = installed.folder / "blur"
    require({path.name for path in folder.iterdir()} == {"CMakeLists.txt", "README.md", "box.cc", "graph.json", "test_box.cc"}, "made %s" % list(folder.iterdir()))
    left = [path.name for path in folder.iterdir() if re.search(r"@\w+@", path.read_text())]
    require(not left, "placeholders are left in %s" % left)
    script = fenced((folder / "README.md").read_text())
    code, output = installed.follow(script, folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    for words in ("100% tests passed, 0 tests failed out of 1", "1 stage tried, 0 failed", "all done", "rows taken in", "blur.box"):
        require(words in output, "%r is not in the output:\n%s" % (words, output))
    installed.require_apart(folder / "build")
    require(list((folder / "runs").rglob("*.png")), "the run's folder has no picture")
    # Its test can fail: without the rounding, a mean of 0 and 255 is another number.
    stage = folder / "box.cc"
    stage.write_text(stage.read_text().replace("sum / pixels)", "sum / pixels + 1)"))
    code, output = installed.follow(fenced((folder / "README.md").read_text()), folder)
    require(code != 0 and "0% tests passed" in output, "a broken stage passed its test: exit %d\n%s" % (code, output))
    print(script)


def new_plugin_installs_beside_flowtrain(installed):
    folder = installed.folder / "elsewhere" / "deep"
    code, output = installed.program("plugin", "new", "mine", folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    quoted = "'" + str(installed.prefix).replace("'", "'\\''") + "'"
    script = "export CMAKE_PREFIX_PATH=%s\ncmake -S . -B build\ncmake --build build --target flowtrain_mine\ncmake --install build --prefix %s\n" % (quoted, quoted)
    code, output = installed.follow(script, folder)
    require(code == 0, "exit %d\n%s" % (code, output))
    # A prefix can be moved: the program finds its plugins, the package its files.
    moved = installed.folder / "moved"
    shutil.move(installed.prefix, moved)
    installed.prefix = moved
    code, output = installed.program("describe", "mine.box")
    require(code == 0 and "radius" in output, "exit %d\n%s" % (code, output))
    code, output = installed.program("plugin", "new", "mine")
    require(code == 2 and "there is a plugin \"mine\" already" in output, "exit %d\n%s" % (code, output))
    code, output = installed.follow("rm -r build\nexport CMAKE_PREFIX_PATH='%s'\ncmake -S . -B build\n" % moved, folder)
    require(code == 0, "exit %d\n%s" % (code, output))


def new_plugin_refuses_bad_names_and_folders(installed):
    full = installed.folder / "full"
    full.mkdir()
    (full / "work.txt").write_text("mine")
    (installed.folder / "a_file").write_text("mine")
    (installed.folder / "empty").mkdir()
    before = sorted(installed.folder.rglob("*"))
    for arguments, words in {
        ("Blur",): "\"Blur\" is no plugin's name",
        ("2blur",): "is no plugin's name",
        ("my-blur",): "is no plugin's name",
        ("../blur",): "is no plugin's name",
        ("",): "is no plugin's name",
        ("image",): "\"image\" is a name of flowtrain's own",
        ("train",): "\"train\" is a name of flowtrain's own",
        ("api",): "is a name of flowtrain's own",
        ("staging",): "\"staging\" is a name of flowtrain's own",
        ("a" * 101,): "it has 101 characters, 100 are allowed",
        ("blur", "full"): "the folder full is there already, and not empty",
        ("blur", "a_file"): "a_file is there already, and is no folder",
        (): "name is required",
    }.items():
        code, output = installed.program("plugin", "new", *arguments)
        require(code == 2 and words in output, "plugin new %s: exit %d\n%s" % (" ".join(arguments), code, output))
        print("%-14s %s" % (" ".join(arguments), output.splitlines()[0]))
    require(sorted(installed.folder.rglob("*")) == before, "something was made or lost")
    code, output = installed.program("plugin", "new", "blur", "empty")
    require(code == 0 and (installed.folder / "empty" / "box.cc").exists(), "an empty folder: exit %d\n%s" % (code, output))
    code, output = installed.call([installed.build / "flowtrain", "plugin", "new", "early"])
    require(code == 0 and "This flowtrain is not installed" in output and (installed.folder / "early" / "box.cc").exists(),
            "from the build folder: exit %d\n%s" % (code, output))
    shutil.rmtree(installed.prefix / "share" / "flowtrain")
    code, output = installed.program("plugin", "new", "lost")
    require(code == 1 and "the template is not there; searched" in output, "exit %d\n%s" % (code, output))


def package_fits_its_minor_version_only(installed):
    folder = installed.folder / "versions"
    folder.mkdir()
    version = re.search(r"^flowtrain (\d+)\.(\d+)\.(\d+)", installed.program("version")[1])
    major, minor, patch = map(int, version.groups())
    for wanted, fits in {(major, minor): True, (major, minor, patch): True, (major, minor + 1): False, (major + 1, minor): False, (major, minor, patch + 1): False}.items():
        wanted = ".".join(map(str, wanted))
        (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(x LANGUAGES CXX)\nfind_package(flowtrain %s CONFIG REQUIRED)\n" % wanted)
        code, output = installed.follow("rm -rf build\nexport PATH='%s':\"$PATH\"\ncmake -S . -B build\n" % str(installed.prefix / "bin").replace("'", "'\\''"), folder)
        require((code == 0) == fits, "find_package(flowtrain %s): exit %d\n%s" % (wanted, code, output))
        print("%s asked for: %s" % (wanted, "found" if fits else "refused"))
