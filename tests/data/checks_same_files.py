"""Checks that a resumed run goes on over the files it began with: not over others of
the same number, and over the same ones wherever they lie now.
"""
import json
import shutil
import tarfile

from checks import require
from made_sources import shards, write_csv
from program import hashes

_CLASSES, _EACH, _SIDE = 3, 8, 40


def _picture(number, magic=b"P6", channels=3):
    """Told from every other one by its pixels; decoders go by what a file begins with."""
    pixels = ((x * y + number * 10) % 256 for x in range(_SIDE) for y in range(_SIDE))
    content = bytes(pixel for pixel in pixels for _ in range(channels))
    return b"%s %d %d 255\n" % (magic, _SIDE, _SIDE) + content


def _write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


# What makes a set for a source below; `odd` is added to the name of its last sample.


def _stems(odd):
    return ["%02d" % number for number in range(_CLASSES * _EACH - 1)] + [str(_CLASSES * _EACH - 1) + odd]


def _class_folders(root, odd=""):
    for number, stem in enumerate(_stems(odd)):
        _write(root / "train" / ("class-%d" % (number // _EACH)) / (stem + ".jpg"), _picture(number))
    return {"type": "data.classification", "root": str(root), "val_share": 0}


def _masks(root, odd=""):
    for number, stem in enumerate(_stems(odd)):
        _write(root / "Image" / (stem + ".jpg"), _picture(number))
        _write(root / "Mask" / (stem + ".png"), _picture(number, b"P5", 1))
    return {"type": "data.segmentation", "root": str(root), "val_share": 0}


def _list(root, odd=""):
    """With absolute paths: a list that is moved is written again."""
    _class_folders(root, odd)
    rows = [(path, path.parent.name[-1]) for path in sorted(root.glob("train/*/*"))]
    write_csv(root / "list.csv", [("image", "label"), *rows])
    return {"type": "data.list", "file": str(root / "list.csv"), "target": "label"}


def _shards(root, odd=""):
    root.mkdir()
    samples = [(stem, {"jpg": _picture(number), "cls": b"%d" % (number // _EACH)})
               for number, stem in enumerate(_stems(odd))]
    pattern = shards(root / "shards", samples, tarfile.USTAR_FORMAT)
    return {"type": "data.webdataset", "shards": pattern, "target": "label"}


class _Runs:
    """Runs of one graph; the first one of a folder fails at its fifth step, after a checkpoint."""

    def __init__(self, program, name, source):
        self.program, self.name = program, name
        self.hashes = program.folder / (name + ".hashes")
        self.text = program.folder / (name + ".json")
        self.set_source(source)

    def set_source(self, source):
        self.text.write_text(json.dumps({
            "name": self.name, "seed": 7, "metrics": {"listen": ""},
            "stages": {"files": source | {"sampler": {"shuffle": True}},
                       "decode": {"type": "image.decode"},
                       "augment": {"type": "image.augment", "size": [32, 32],
                                   "ops": [{"op": "flip", "p": 0.5}]},
                       "staging": {"type": "staging", "batch": 4},
                       "sink": {"type": "steps.sink", "epochs": 2, "checkpoint_every": 3}},
            "edges": ["files -> decode -> augment -> staging -> sink"]}))

    def run(self, *more, runs="runs"):
        return self.program.call("run", self.text, "--out", self.program.folder / runs / self.name,
                                 "--plugin-path", self.program.plugins / "steps", *more)

    def whole(self):
        """The batches of a run that nothing disturbs, sorted."""
        path = self.program.folder / (self.name + ".whole")
        code, output = self.run("--batch-hashes", path, runs="whole")
        require(code == 0, output)
        return sorted(hashes(path))

    def begin(self):
        code, output = self.run("--batch-hashes", self.hashes, "--set", "/stages/sink/fail_at=5")
        require(code == 1 and "as it was told to" in output, "exit %d\n%s" % (code, output))
        return next((self.program.folder / "runs" / self.name).iterdir())

    def resume(self, folder):
        return self.run("--batch-hashes", self.hashes, "--resume", folder)


def other_files_of_the_same_number_are_refused(program):
    """By name, by class; put back, the run goes on as if nothing had been."""
    root = program.folder / "set"
    runs = _Runs(program, "others", _class_folders(root))
    due, folder = runs.whole(), runs.begin()
    first = root / "train/class-0/03.jpg"
    for other in (first.with_name("30.jpg"),  # stands elsewhere in its folder now
                  first.with_name("03.png"),  # stands where it was
                  root / "train/class-2/03.jpg"):
        first.rename(other)
        code, output = runs.resume(folder)
        other.rename(first)
        require(code == 2, "%s: exit %d, should be 2\n%s" % (other, code, output))
        for text in ("/stages/files: there are 24 samples as in the checkpoint, but not the same",
                     "put the files back as they were; a new run may begin with the old one's"):
            require(text in output, "%s: it is not said: %r\n%s" % (other, text, output))
    code, output = runs.resume(folder)
    require(code == 0, output)
    require(sorted(hashes(runs.hashes)) == due, "the resumed run has other batches")
    print("3 refusals, then %d batches, all the same" % len(due))


def moved_files_are_gone_on_with(program):
    """A run that is named goes on where its files lie now; auto takes them for others, and says how.
    Others that lie there are refused.
    """
    for make in (_class_folders, _masks, _list, _shards):
        name = make.__name__[1:]
        root, moved = program.folder / name, program.folder / "moved" / name
        runs = _Runs(program, name, make(root))
        due, folder = runs.whole(), runs.begin()
        root.rename(program.folder / "out of the way")
        moved.parent.mkdir(exist_ok=True)
        runs.set_source(make(moved, odd="x"))
        code, output = runs.resume(folder)
        require(code == 2 and "/stages/files: there are 24 samples as in the checkpoint, but not the same" in output,
                "%s: exit %d, should be 2\n%s" % (name, code, output))
        shutil.rmtree(moved)
        runs.set_source(make(moved))
        code, output = runs.run("--resume", "auto")
        hint = "; if the files were only moved there: --resume %s" % folder
        require(code == 0 and hint in output, "%s: exit %d\n%s" % (name, code, output))
        code, output = runs.resume(folder)
        require(code == 0, "%s: exit %d\n%s" % (name, code, output))
        require("the same files are looked for in another place: /stages/files/" in output, output)
        require(sorted(hashes(runs.hashes)) == due, "%s: the resumed run has other batches" % name)
        for path in (program.folder / "out of the way", moved):
            path.rename(program.folder / ("%s, %s" % (name, path.name)))
    print("4 sources, %d batches each, all the same; 4 refusals" % len(due))
