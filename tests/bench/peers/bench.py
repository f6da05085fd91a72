"""One run of one loader, on files that are the same for all."""

import json
import os
import random
import shutil
import subprocess

from loaders import BATCH, HERE, SIDE, graph
from measured_run import measured

# Batches of the short run: as many as fill every slot and let the workers' memory grow.
SHORT = {"classification": 8, "segmentation": 16}
# Around the window of the Python loaders, as in peer.py.
MARGIN = {"classification": 8, "segmentation": 16}


def files_of(task, data):
    if task == "classification":
        return [(str(path),) for path in sorted(data.glob("imagenet/train/*/*.JPEG"))]
    images = sorted(data.glob("davis/Train/Image/*.jpg"))
    return [
        (str(path), str(data / "davis/Train/GT_Object" / (path.stem + ".png"))) for path in images
    ]


class Bench:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.data = given.data
        if self.data is None:
            self.data = folder / "made"
            subprocess.run([given.build / "tests-bin/make_pictures", self.data], check=True)
        self.environment = dict(
            os.environ,
            OMP_NUM_THREADS="1",
            OPENBLAS_NUM_THREADS="1",
            MKL_NUM_THREADS="1",
            NO_ALBUMENTATIONS_UPDATE="1",
            PYTHONPYCACHEPREFIX=str(given.build / "peers-pycache"),
        )
        # The first batch of a loader whose modules are compiled anew each time is not its own.
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for task in given.tasks:
            self.write_lists(task)

    def window(self, task):
        """In batches."""
        images = self.given.images // (1 if task == "classification" else 2)
        return max(1, images // BATCH[task])

    def write_lists(self, task):
        """The same files in the same order for every loader, over and over in a new order."""
        files = files_of(task, self.data)
        if not files:
            raise SystemExit(f"run_peers.py: no files for {task} in {self.data}")
        shuffled, order = [], random.Random(0)
        while len(shuffled) < (self.window(task) + MARGIN[task]) * BATCH[task]:
            order.shuffle(files)
            shuffled += files
        del shuffled[(self.window(task) + MARGIN[task]) * BATCH[task] :]
        (self.folder / f"{task}.list").write_text(
            "".join("\t".join(item) + "\n" for item in shuffled)
        )
        target = "mask" if task == "segmentation" else "label"
        lines = [
            {"image": item[0], target: item[1] if task == "segmentation" else 0}
            for item in shuffled
        ]
        (self.folder / f"{task}.jsonl").write_text(
            "".join(json.dumps(line) + "\n" for line in lines)
        )

    def run(self, loader, task):
        """What one run gave: images_per_s, cpu_s (a 1,000 images), pss_mb, first_s."""
        if loader.kind == "python":
            return self.run_window(loader, task)
        program = self.run_ours if loader.kind == "ours" else self.run_bare
        # Four times the window: each of the others is held against these.
        long = SHORT[task] + 4 * self.window(task)
        first, short, whole = (program(loader, task, batches) for batches in (1, SHORT[task], long))
        images = (long - SHORT[task]) * BATCH[task]
        return {
            "images_per_s": images / (whole.wall_s - short.wall_s),
            "cpu_s": 1000 * (whole.cpu_s - short.cpu_s) / images,
            "pss_mb": whole.pss_mb,
            "first_s": first.wall_s,
        }

    def run_window(self, loader, task):
        command = [self.given.python, HERE / loader.script, task, self.folder / f"{task}.list"]
        run = measured(
            command + ["--variant", loader.variant] * bool(loader.variant), self.environment
        )
        result = json.loads(
            next(line for line in run.lines if line.startswith("RESULT "))[len("RESULT ") :]
        )
        return {
            "images_per_s": result["images"] / result["wall_s"],
            "cpu_s": 1000 * result["cpu_s"] / result["images"],
            "pss_mb": run.pss_mb,
            "first_s": run.first_s,
        }

    def run_ours(self, loader, task, batches):
        runs = self.folder / "runs"
        file = self.folder / "graph.json"
        file.write_text(
            json.dumps(graph(task, self.folder / f"{task}.jsonl", loader.antialiased, runs))
        )
        run = measured(
            [
                self.given.build / "flowtrain",
                "run",
                file,
                "--set",
                f"/stages/drop/batches={batches}",
            ],
            self.environment,
        )
        shutil.rmtree(runs, ignore_errors=True)
        return run

    def run_bare(self, loader, task, batches):
        with open(self.folder / f"{task}.list", "rb") as files:
            return measured(
                [self.given.build / "tests-bin/opencv_loop", task, loader.variant, batches],
                self.environment,
                files,
            )

    def resamplers(self, task):
        """What resamplers.py prints for the task's pictures, at most 112."""
        library = self.given.build / "tests-bin/libresample_c.so"
        pictures = [item[0] for item in files_of(task, self.data)][:112]
        return json.loads(
            measured(
                [self.given.python, HERE / "resamplers.py", library, SIDE[task], *pictures],
                self.environment,
            ).lines[-1]
        )
