"""The table of run_peers.py, from what its runs noted."""

import math
from statistics import median

from loaders import LOADERS, OURS, OURS_ANTIALIASED, TASKS

HEAD = (
    "loader",
    "releases",
    "antialiased",
    "images/s (CPU s a 1,000)",
    "its CPU / ours, not antialiased",
    "its CPU / ours, antialiased",
    "memory (PSS), MB",
    "first batch, s",
    "resampler: PSNR, dB (least)",
    "resampler: ms",
)


def ratios(records, task, loader, against):
    """Of each round in which both ran: a loader's CPU time an image by that of `against`."""
    by_round = {}
    for record in records:
        if record.get("task") == task and record.get("loader") in (loader, against):
            by_round.setdefault(record["round"], {})[record["loader"]] = record["cpu_s"]
    return [
        both[loader] / both[against]
        for both in by_round.values()
        if loader in both and against in both
    ]


def against_goal(found, goal):
    if not found:
        return "-"
    ratio = f"{median(found):.2f}"
    if goal is None:
        return ratio
    return f"{ratio} (goal {goal:g}{'' if median(found) >= goal else ', missed'})"


def _quality(resampler):
    decibels = [resampler["median_db"], resampler["least_db"]]
    if math.isinf(decibels[1]):
        return "the reference"
    return f"{decibels[0]:.1f} ({decibels[1]:.1f})"


def row(records, installed, task, loader):
    runs = [r for r in records if r.get("task") == task and r.get("loader") == loader.name]
    if not runs:
        return None
    middle = {
        key: median(run[key] for run in runs)
        for key in ("images_per_s", "cpu_s", "pss_mb", "first_s")
    }
    measured = [r["resamplers"] for r in records if r.get("task") == task and "resamplers" in r]
    resampler = measured[-1].get(loader.resampler) if measured else None
    shared = [
        ratios(records, task, loader.name, ours) if loader.name != ours else []
        for ours in (OURS, OURS_ANTIALIASED)
    ]
    return (
        loader.title,
        ", ".join(f"{name} {installed.get(name, '?')}" for name in loader.packages) or "-",
        "yes" if loader.antialiased else "no",
        f"{middle['images_per_s']:.0f} ({middle['cpu_s']:.2f})",
        against_goal(shared[0], loader.goals.get(task)),
        against_goal(shared[1], loader.goals_antialiased.get(task)),
        f"{middle['pss_mb']:.0f}",
        f"{middle['first_s']:.2f}",
        _quality(resampler) if resampler else "-",
        f"{resampler['ms']:.2f}" if resampler else "-",
    )


def spread(records, task):
    """The widest range that a ratio to ours had, by its median, in percent."""
    ranges = [0.0]
    for loader in LOADERS:
        found = ratios(records, task, loader.name, OURS)
        if found:
            ranges.append(100 * (max(found) - min(found)) / median(found))
    return max(ranges)


def markdown(records, installed):
    lines = []
    for task in TASKS:
        rows = [r for r in (row(records, installed, task, loader) for loader in LOADERS) if r]
        if not rows:
            continue
        if not lines:
            lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
        lines.append(f"| **{task}** |" + " |" * (len(HEAD) - 1))
        lines += ["| " + " | ".join(r) + " |" for r in rows]
    for task in TASKS:
        rounds = {r["round"] for r in records if r.get("task") == task and "round" in r}
        if rounds:
            lines += [
                "",
                f"{task}: rounds: {len(rounds)}; no ratio to ours ranged over more than "
                f"{spread(records, task):.0f}% of itself.",
            ]
    return "\n".join(lines)
