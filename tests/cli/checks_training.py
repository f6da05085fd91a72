"""Checks of runs that train: same seed, stop and resume, metrics, a full disk, the dashboard."""
import collections
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from checks import Skipped, require
from program import hashes, records, series, sets


def same_seed_same_batches_and_losses(program):
    seen = []
    for threads in (1, 4):
        program.runs, path = program.folder / ("threads-%d" % threads), program.folder / ("hashes-%d" % threads)
        program.ok(*program.training("--threads", threads, "--batch-hashes", path))
        losses = [(record["step"], record["loss"]) for record in records(program.run_folder(), "train")]
        seen.append((sorted(hashes(path)), losses, [(r["mae"], r["iou"]) for r in records(program.run_folder(), "val")]))
    require(len(seen[0][0]) == 12 and len(seen[0][1]) == 8, "12 batches and 8 losses were expected: %s" % (seen[0],))
    for what, one, four in zip(("batches", "losses", "validations"), *seen):
        require(one == four, "%s differ between 1 thread and 4:\n%s\n%s" % (what, one, four))


def _stopped_and_resumed(program, moment, number, code_due, *more, **settings):
    """Stops a run at moment(running, hashes so far), resumes it, and compares both with the undisturbed run."""
    whole, parts = program.folder / "whole", program.folder / "parts"
    runs, program.runs = program.runs, program.folder / "undisturbed"
    program.ok(*program.training("--batch-hashes", whole, *more, **settings))
    losses = [(r["step"], r["loss"]) for r in records(program.run_folder(), "train")]
    program.runs = runs
    with program.start(*program.training("--batch-hashes", parts, *more, **settings)) as running:
        running.wait_until(lambda: moment(running, hashes(parts)), "the moment to stop")
        running.signal(number)
        start = time.monotonic()
        code, output = running.end(5)
    print("ended %.2f s after the signal" % (time.monotonic() - start))
    require(code == code_due, "exit %d, should be %d\n%s" % (code, code_due, output))
    require(output.count("finishing the step and writing a checkpoint") == 1, "one line about the signal was expected:\n" + output)
    first = hashes(parts)
    require(len(first) < len(hashes(whole)), "the run was over before the signal")
    folder = program.run_folder()
    output = program.ok(*program.training("--batch-hashes", parts, "--resume", folder, *more, **settings))
    require("going on from %s" % folder in output, "the resumed run does not say where it goes on from:\n" + output)
    require(program.run_folder() == folder, "a resumed run goes on in its folder")
    print("%d batches before, %d after, undisturbed %d" % (len(first), len(hashes(parts)) - len(first), len(hashes(whole))))
    got, due = hashes(parts), hashes(whole)
    few, many = sorted(set(due) - set(got)), sorted(set(got) - set(due))
    require(not few and not many, "both runs together lack batches %s and have others %s" % (few, many))
    train = collections.Counter(line for line in got if line.startswith("trainer.train"))
    require(max(train.values()) == 1, "trained on twice: %s" % [line for line, n in train.items() if n > 1])
    both = [(r["step"], r["loss"]) for r in records(folder, "train")]
    require(both == losses, "losses differ from the undisturbed run's:\n%s\n%s" % (both, losses))
    return first


def _batches(lines, start):
    return sum(line.startswith(start) for line in lines)


def stop_in_mid_epoch(program):
    _stopped_and_resumed(program, lambda _, seen: _batches(seen, "trainer.train 1 ") >= 2, signal.SIGINT, 130, batch=4)


def stop_in_mid_validation(program):
    # Validation's hashes come when it is whole; the batches that the trainer has taken are in the metrics.
    def moment(running, seen):
        if _batches(seen, "trainer.train 0 ") < 2:
            return False
        return 7 <= series(running.metrics(), "flowtrain_stage_wait_seconds_count")["trainer"] <= 30
    first = _stopped_and_resumed(program, moment, signal.SIGTERM, 143,
                                 *sets(stages__val_resize__size="[128,128]"), limit=16, val_limit=40, val_batch=1)
    require(_batches(first, "trainer.train") == 2 and not _batches(first, "trainer.val"), "not stopped within validation: %s" % first)


def stop_in_a_later_phase(program):
    phases = [{"name": "first", "epochs": 1, "set": {"/stages/staging/batch": 8}},
              {"name": "larger", "epochs": 1, "set": {"/stages/staging/batch": 4, "/stages/augment/size": [96, 96],
                                                      "/stages/val_resize/size": [96, 96],
                                                      "/stages/trainer/optimizer": {"lr": 0.0002, "min_lr": 0.0002, "warmup_epochs": 0}}}]
    first = _stopped_and_resumed(program, lambda _, seen: _batches(seen, "trainer.train 1 ") >= 2, signal.SIGINT, 130,
                                 "--set", "/phases=" + json.dumps(phases))
    require(_batches(first, "trainer.train 0 ") == 4, "the first phase has 4 batches of 8: %s" % first)
    steps = records(program.run_folder(), "train")
    require([r["epoch"] for r in steps] == [1] * 4 + [2] * 8, "4 steps of 8 images, then 8 of 4, were expected: %s" % steps)
    require({r["lr"] for r in steps[4:]} == {0.0002}, "the second phase has a learning rate of its own: %s" % steps)
    require([r["epoch"] for r in records(program.run_folder(), "val")] == [1, 2], "each phase ends with a validation")


def stop_while_training_starts(program):
    """From the moment that the program hears signals to the first step; what it left, if anything, can be resumed."""
    program.builtin()
    for number, line in enumerate(("metrics at ", "run folder ", "trainer: device")):
        program.runs = program.folder / ("start-%d" % number)
        with program.start(*program.training()) as running:
            running.wait_until(lambda: line in running.output(), line)
            running.signal()
            code, output = running.end(5)
        require(code == 130 and output.count("interrupted: ") == 1, "after %r: exit %d\n%s" % (line, code, output))
        if list(program.runs.glob("*/checkpoints/*/state.json")):
            program.ok(*program.training("--resume", program.run_folder()))
            require(len(records(program.run_folder(), "train")) == 8, "after %r: the resumed run has other steps" % line)


def second_signal_ends_at_once(program):
    # One step of 128 images of 128 px outlasts the pause between the signals, some times over.
    path = program.folder / "hashes"
    sides = ("--set", "/stages/augment/size=[128,128]", "--set", "/stages/val_resize/size=[128,128]")
    with program.start(*program.training("--batch-hashes", path, *sides, batch=128, limit=384)) as running:
        running.wait_until(lambda: hashes(path), "the first step is done")
        running.signal()
        running.wait_until(lambda: "again: end at once" in running.output(), "the first signal is heard")
        time.sleep(1.1)  # within a second it would be the same wish
        running.signal()
        code, output = running.end(1)
    require(code == 130 and "stopped at once" in output, "exit %d\n%s" % (code, output))


def resume_with_other_data_is_refused(program):
    program.ok(*program.training(epochs=1, limit=16, val_limit=8))
    folder = program.run_folder()
    code, output = program.call(*program.training("--resume", folder, limit=24, val_limit=8))
    require(code == 2, "exit %d, should be 2\n%s" % (code, output))
    for text in ("/stages/files/limit", "16", "24"):
        require(text in output, "the refusal does not say %s:\n%s" % (text, output))


def weights_of_another_run_begin_a_new_one(program):
    """... which can be resumed when the other one is gone."""
    runs, program.runs = program.runs, program.folder / "first"
    program.ok(*program.training(epochs=1))
    weights, program.runs = program.run_folder() / "checkpoints/latest", runs

    def begun(steps, *more):
        return program.training(*sets(stages__trainer__model__init=weights, stages__trainer__max_steps=steps), *more)
    output = program.ok(*begun(1))
    require("entries from %s" % weights in output, "it does not say what was loaded:\n" + output)
    shutil.rmtree(program.folder / "first")
    program.ok(*begun(0, "--resume", program.run_folder()))
    require(len(records(program.run_folder(), "train")) == 8, "the resumed run has other steps")
    code, output = program.call(*begun(0))
    require(code == 2, "exit %d, should be 2\n%s" % (code, output))
    require("/stages/trainer/model/init: %s: cannot be opened" % weights in output, "the refusal does not name place and file:\n" + output)


def metrics_are_clean_and_count_what_passed(program):
    promtool = shutil.which("promtool")
    if not promtool:
        raise Skipped("promtool is needed (Debian's package prometheus)")
    # The steps on a resident batch leave time to look when all else has come to rest.
    with program.start(*program.training(*sets(stages__trainer__resident_steps=500))) as running:
        running.wait_until(lambda: "metrics at " in running.output(), "the metrics are served")
        texts = [running.metrics()]
        rest = 'flowtrain_epoch{stage="trainer"} 2'

        def at_rest():
            time.sleep(0.3)
            texts.append(running.metrics())
            counts = [series(text, "flowtrain_stage_duration_seconds_count") for text in texts[-2:]]
            return rest in texts[-1] and counts[0] == counts[1] and counts[1]["trainer"] >= 11
        running.wait_until(at_rest, "both epochs have passed")
        running.signal()
        running.end(10)
    for text in texts:
        result = subprocess.run([promtool, "check", "metrics"], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        require(result.returncode == 0 and not result.stdout.strip(), "promtool check metrics:\n" + result.stdout)
    print("%d scrapes are clean" % len(texts))
    text = texts[-1]
    count, waits, ok = (series(text, "flowtrain_stage_" + name) for name in ("duration_seconds_count", "wait_seconds_count", "items_total"))
    require(count == ok, "histograms and items differ: %s %s" % (count, ok))
    read_ahead = series(text, "flowtrain_tokens_in_use")
    for files, decode, resize, staging, upload in (("files", "decode", "augment", "staging", "upload"),
                                                   ("val_files", "val_decode", "val_resize", "val_staging", "val_upload")):
        require(count[files] == count[decode] + read_ahead[files + ".read_ahead"], "%s: %s" % (files, count))
        require(count[decode] == count[resize] == 8 * count[staging], "%s: samples and batches of 8: %s" % (decode, count))
        require(count[upload] <= waits[upload] <= count[staging], "%s: %s %s" % (upload, count, waits))
    due = {"steps": 8, "samples": 64, "pulled": 12}
    got = {"steps": series(text, "flowtrain_trainer_step_seconds_count")["trainer"],
           "samples": series(text, "flowtrain_samples_total")["trainer"], "pulled": waits["trainer"]}
    require(got == due, "the trainer's counts are %s, should be %s" % (got, due))


_FULL_DISK = """mount -t tmpfs -o size=40m none "$1" || exit 99
run=$1; copy=$2; shift 2
"$@"; code=$?
cp -r "$run" "$copy"
exit $code"""


def full_disk_keeps_the_former_checkpoint(program):
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-rm", "mount", "-t", "tmpfs", "none", program.folder], stderr=subprocess.DEVNULL).returncode:
        raise Skipped("a small file system can't be mounted here (unshare -rm)")
    small = program.folder / "small"
    small.mkdir()
    copy = program.folder / "copy"
    program.builtin()
    program.runs = small
    # 40 MiB hold one checkpoint of 28 MiB.
    command = [unshare, "-rm", "sh", "-c", _FULL_DISK, "sh", small, copy, program.path, *program.training()]
    result = subprocess.run([str(part) for part in command], env=program.env(), cwd=program.folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    require(result.returncode in (0, 1), "exit %d\n%s" % (result.returncode, result.stdout))
    said = [line for line in result.stdout.splitlines() if "No space left on device" in line]
    require(said and all(str(small) in line for line in said), "no error names the path:\n" + result.stdout)
    program.runs = copy
    folder = program.run_folder()
    require(len(records(folder, "train")) == 8, "training did not go on to the end: %s" % records(folder, "train"))
    kept = [path.parent.name for path in (folder / "checkpoints").glob("epoch-*/state.json")]
    require(kept == ["epoch-0001"], "checkpoints kept: %s" % kept)
    output = program.ok(*program.training("--resume", folder))
    require("epoch-0001" in output, "does not go on from the former checkpoint:\n" + output)


def dashboard_has_data_from_a_run(program):
    program.builtin()
    check = pathlib.Path(__file__).resolve().parents[1] / "dashboard/check_dashboard.py"
    command = program.training(*sets(metrics__listen="{listen}"), epochs=200)
    result = subprocess.run([sys.executable, str(check), "--", program.path, *map(str, command)], env=program.env(),
                            cwd=program.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode == 77:
        raise Skipped(result.stdout.strip())
    print("\n".join(line for line in result.stdout.splitlines() if "quer" in line or "no data" in line))
    require(result.returncode == 0, result.stdout)
