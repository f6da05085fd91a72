"""The loaders that are compared: how each is started, and the goal that ours has against it.

A goal is the least ratio of a loader's CPU time an image to ours. Ours without antialiasing is held
against every loader, with it against those that antialias too.
"""

from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
TASKS = ("classification", "segmentation")
BATCH = {"classification": 64, "segmentation": 16}
SIDE = {"classification": 224, "segmentation": 352}


@dataclass(frozen=True)
class Loader:
    name: str
    title: str
    antialiased: bool
    kind: str = "python"  # or "ours", "bare": programs of the build
    script: str = ""
    variant: str = ""
    packages: tuple = ()  # whose releases stand in the table
    resampler: str = ""  # its name in resamplers.py
    goals: dict = field(default_factory=dict)  # by task, against ours without antialiasing
    goals_antialiased: dict = field(default_factory=dict)


def goals(classification, segmentation):
    return dict(zip(TASKS, (classification, segmentation)))


ANTIALIASED = goals(1.5, 1.3)
BARE = goals(0.97, 0.97)
TORCH = ("torch", "torchvision")

OURS, OURS_ANTIALIASED = "ours", "ours antialiased"
LOADERS = (
    Loader(OURS, "flowtrain, `antialias: false`", False, "ours", resampler="ours"),
    Loader(OURS_ANTIALIASED, "flowtrain", True, "ours", resampler="ours antialiased"),
    Loader(
        "bare",
        "bare C++ loop, INTER_LINEAR",
        False,
        "bare",
        variant="linear",
        resampler="opencv linear",
        goals=BARE,
    ),
    Loader(
        "bare area",
        "bare C++ loop, INTER_AREA",
        True,
        "bare",
        variant="area",
        resampler="opencv area",
        goals_antialiased=BARE,
    ),
    Loader(
        "torchvision pil",
        "DataLoader, torchvision on Pillow",
        True,
        script="torch_loader.py",
        variant="pil",
        packages=TORCH + ("pillow",),
        resampler="pillow",
        goals=goals(2.5, 2.5),
        goals_antialiased=ANTIALIASED,
    ),
    Loader(
        "torchvision io",
        "DataLoader, torchvision.io",
        True,
        script="torch_loader.py",
        variant="io",
        packages=TORCH,
        resampler="torchvision antialiased",
        goals=goals(2.0, 1.6),
        goals_antialiased=ANTIALIASED,
    ),
    Loader(
        "torchvision io, not antialiased",
        "DataLoader, torchvision.io, `antialias=False`",
        False,
        script="torch_loader.py",
        variant="io-not-antialiased",
        packages=TORCH,
        resampler="torchvision",
    ),
    Loader(
        "albumentations",
        "DataLoader, albumentations on OpenCV",
        False,
        script="torch_loader.py",
        variant="albumentations",
        packages=("torch", "albumentations", "opencv-python-headless"),
        resampler="opencv linear",
        goals=goals(1.65, 1.45),
    ),
    Loader(
        "dali antialiased",
        "DALI on the CPU",
        True,
        script="dali_loader.py",
        variant="antialiased",
        packages=("nvidia-dali-cuda130",),
        resampler="dali antialiased",
        goals_antialiased=ANTIALIASED,
    ),
    Loader(
        "dali",
        "DALI on the CPU, `antialias=False`",
        False,
        script="dali_loader.py",
        variant="not-antialiased",
        packages=("nvidia-dali-cuda130",),
        resampler="dali",
        goals=goals(1.7, 2.2),
    ),
    Loader(
        "spdl ffmpeg",
        "SPDL, FFmpeg",
        True,
        script="spdl_loader.py",
        variant="ffmpeg",
        packages=("spdl",),
        goals=goals(1.9, 1.4),
    ),
    Loader(
        "spdl opencv",
        "SPDL, OpenCV",
        False,
        script="spdl_loader.py",
        variant="opencv",
        packages=("spdl", "opencv-python-headless"),
        resampler="opencv linear",
        goals=goals(1.9, 1.4),
    ),
    Loader(
        "grain",
        "Grain's threads, OpenCV",
        False,
        script="grain_loader.py",
        packages=("grain", "opencv-python-headless"),
        resampler="opencv linear",
        goals=goals(1.5, 1.25),
    ),
)


def graph(task, files, antialiased, folder):
    """flowtrain's graph of the same work."""
    segmentation = task == "segmentation"
    crop = [] if segmentation else [{"op": "random_resized_crop"}]
    return {
        "name": "peers",
        "seed": 42,
        "stages": {
            "files": {
                "type": "data.list",
                "file": str(files),
                "target": "mask" if segmentation else "label",
            },
            "decode": {"type": "image.decode"},
            "augment": {
                "type": "image.augment",
                "size": [SIDE[task]] * 2,
                "antialias": antialiased,
                "ops": crop + [{"op": "flip"}],
            },
            "staging": {"type": "staging", "batch": BATCH[task]},
            "drop": {"type": "monitor.null", "epochs": 1000, "batches": 1},
        },
        "edges": ["files -> decode -> augment -> staging -> drop"],
        "run": {"threads": 2, "dir": str(folder)},
    }
