"""Checks of runs that a stage of the test tree steers: signals, kills, resume, what is said at the end."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

from checks import require
from program import hashes, records, sets


def _steps(program, *more, limit=32, batch=4, **sink):
    """A run of the plugin `steps`: 8 steps an epoch."""
    sink = {"type": "steps.sink"} | sink
    return program.quickstart("--plugin-path", program.plugins / "steps",
                              *sets(stages__sink=json.dumps(sink), stages__staging__batch=batch), *more, limit=limit)


def _steps_of(folder):
    return [record["step"] for record in records(folder, "train")]


def _begun(program, count=1):
    return lambda: any(len(_steps_of(folder)) >= count for folder in program.runs.glob("*"))


def signal_reaches_the_run_beside_a_plugins_thread(program):
    """A thread that a plugin starts as it is opened must not take the signal by its default action."""
    for number, due in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        program.runs = program.folder / ("runs-%d" % number)
        with program.start(*_steps(program, pause=0.1)) as running:
            running.wait_until(_begun(program), "the first step is done")
            running.signal(number)
            code, output = running.end(5)
        require(code == due, "exit %d, should be %d\n%s" % (code, due, output))
        require("finishing the step and writing a checkpoint" in output, output)
        require((program.run_folder() / "checkpoints/interrupted/state.json").exists(), "no checkpoint was written:\n" + output)


def reader_that_goes_away_ends_no_run(program):
    """As `| head -1` does, with both streams. (A server of metrics has the signal ignored anyway.)"""
    with subprocess.Popen([program.path, *map(str, _steps(program, *sets(metrics__listen=""), pause=0.05))], env=program.env(), cwd=program.folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        process.stdout.readline()
        process.stdout.close()
        code = process.wait(60)
    require(code == 0, "exit %d" % code)
    require(_steps_of(program.run_folder()) == list(range(1, 9)), "steps: %s" % _steps_of(program.run_folder()))


def signal_while_the_run_is_taken_down(program):
    with program.start(*_steps(program, closing=1)) as running:
        running.wait_until(lambda: "try next" in running.output(), "the summary is printed")
        running.signal()
        code, output = running.end(5)
    require(code == 0, "exit %d, should be 0: all was done before the signal\n%s" % (code, output))


def resume_auto_takes_the_newest_that_fits(program):
    program.ok(*_steps(program))
    first = program.run_folder()
    time.sleep(1.1)  # folders are named by the second
    program.ok(*_steps(program, batch=8))
    newer = next(folder for folder in program.runs.iterdir() if folder != first)
    output = program.ok(*_steps(program, "--resume", "auto"))
    require("passed over %s/checkpoints/last: what a resumed run must keep has changed: /stages/staging/batch: 8 in the checkpoint, 4 now" % newer
            in output, "it is not said why the newest is passed over:\n" + output)
    require("going on from %s/checkpoints/last" % first in output, "the older run fits:\n" + output)
    output = program.ok(*_steps(program, "--resume", "auto", batch=16))
    require(output.count("passed over") == 2 and "a new one begins" in output, output)
    require(len(list(program.runs.iterdir())) == 3, "a new run was expected: %s" % list(program.runs.iterdir()))
    code, output = program.call(*_steps(program, "--resume", newer))
    require(code == 2 and "can't go on from" in output, "one that is named is not passed over: exit %d\n%s" % (code, output))


def killed_run_counts_each_step_once(program):
    """What was recorded and hashed after the last checkpoint comes again in the resumed run, and stands once."""
    whole, parts = program.folder / "whole", program.folder / "parts"
    runs, program.runs = program.runs, program.folder / "undisturbed"
    program.ok(*_steps(program, "--batch-hashes", whole, checkpoint_every=3))
    program.runs = runs
    command = _steps(program, "--batch-hashes", parts, checkpoint_every=3, pause=0.1)
    for taken in (5, 7):
        with program.start(*command) as running:
            running.wait_until(_begun(program, taken), "%d steps are done" % taken)
            running.signal(signal.SIGKILL)
            running.end(5)
        folder = program.run_folder()
        require(len(_steps_of(folder)) % 3, "not killed between two checkpoints")
        if taken == 5:
            command += ["--resume", folder]
    with (folder / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "tra')  # cut short by the kill
    program.ok(*command)
    require(_steps_of(folder) == list(range(1, 9)), "steps recorded: %s" % _steps_of(folder))
    got, due = hashes(parts), hashes(whole)
    require(sorted(got) == sorted(due), "batches hashed: %s, due: %s" % (got, due))
    print("killed twice: %d steps and %d batches, each once" % (len(_steps_of(folder)), len(got)))


def finished_run_says_that_nothing_is_to_do(program):
    program.ok(*_steps(program))
    output = program.ok(*_steps(program, "--resume", program.run_folder()))
    require("finished already: nothing to do" in output, output)
    longer = re.search(r"^  flowtrain run .*--set /stages/sink/epochs=2$", output, re.M)
    require(longer, "no command trains longer:\n" + output)
    require(_steps_of(program.run_folder()) == list(range(1, 9)), "steps were taken again: %s" % _steps_of(program.run_folder()))
    program.runs = program.folder / "longer"
    command = shlex.split(longer[0])
    program.ok(*command[1:], "--out", program.runs)
    require(_steps_of(program.run_folder()) == list(range(1, 17)), "not longer: %s" % _steps_of(program.run_folder()))


def hints_are_commands_that_work(program):
    """Only what can be done is offered, and a shell takes it as it stands."""
    program.runs = program.folder / "my runs' own"
    with program.start(*_steps(program, pause=0.1)) as running:
        running.wait_until(_begun(program), "the first step is done")
        running.signal()
        code, output = running.end(5)
    require(code == 130, output)
    hints = output.split("try next:\n")[1].strip().splitlines()
    require(shlex.split(hints[0])[-1] == str(program.run_folder()), "the resume command: " + hints[0])
    require(shlex.split(hints[1])[-1] == str(program.run_folder() / "metrics.jsonl"), "the second command: " + hints[1])
    program.ok(*shlex.split(hints[0])[1:])
    require(_steps_of(program.run_folder()) == list(range(1, 9)), "the resumed run: %s" % _steps_of(program.run_folder()))
    # A run that ends before its first checkpoint can't be gone on with.
    program.runs = program.folder / "none"
    code, output = program.call(*_steps(program, fail_at=2))
    require(code == 1 and "try next:" in output, "exit %d\n%s" % (code, output))
    require("--resume" not in output, "there is nothing to go on from:\n" + output)


def final_checkpoint_that_fails_is_a_failed_run(program):
    """By a file in the way of its folder, made while the run goes on."""
    with program.start(*_steps(program, pause=0.1)) as running:
        running.wait_until(_begun(program), "the first step is done")
        checkpoints = program.run_folder() / "checkpoints"
        checkpoints.rmdir()
        checkpoints.write_text("in the way")
        code, output = running.end(10)
    require(_steps_of(program.run_folder()) == list(range(1, 9)), "the run was not through")
    require(code == 1, "exit %d, should be 1\n%s" % (code, output))
    require(re.search(r"error +the last checkpoint could not be written: checkpoint %s/last: " % re.escape(str(checkpoints)), output),
            "the cause is not said:\n" + output)
    require(re.search("^checkpoint +none$", output, re.M), output)


def _remove(folder):
    """The run may write into it meanwhile, and then it is not empty."""
    for left in reversed(range(100)):
        try:
            return shutil.rmtree(folder)
        except OSError:
            if not left:
                raise


def run_folder_deleted_in_mid_run(program):
    with program.start(*_steps(program, "--set", "/stages/preview/every=1", pause=0.1, checkpoint_every=2)) as running:
        running.wait_until(_begun(program), "the first step is done")
        _remove(program.run_folder())
        code, output = running.end(10)
    require(code == 0 and output.count("the run folder is gone") == 1, "exit %d; it is to be said once:\n%s" % (code, output))
    output = program.ok(*_steps(program, "--resume", program.run_folder()))
    require("finished already" in output, "what was made anew can't be gone on from:\n" + output)


def device_in_the_place_of_a_runs_file_is_refused(program):
    """Not waited for, and not read without an end."""
    program.ok(*_steps(program))
    folder = program.run_folder()
    for name in ("graph.json", "metrics.jsonl", "log.txt", "checkpoints/last/state.json"):
        for kind in ("a FIFO",) if name == "log.txt" else ("a FIFO", "/dev/zero"):
            file, kept = folder / name, folder / "kept"
            file.rename(kept)
            os.mkfifo(file) if kind == "a FIFO" else file.symlink_to(kind)
            code, output = program.call(*_steps(program, "--resume", folder), seconds=10)
            said = "%s: this is no regular file" % file in output
            if name == "metrics.jsonl":  # the run goes on without its records, and is through already
                require(code == 0, "%s as %s: exit %d\n%s" % (name, kind, code, output))
            else:
                require(code == 1 and said, "%s as %s: exit %d\n%s" % (name, kind, code, output))
            file.unlink()
            kept.rename(file)
    program.ok(*_steps(program, "--resume", folder))


def later_phase_that_cannot_begin_is_said_at_the_start(program):
    program.builtin()
    for target, value, fault in (("/stages/files/root", "/no/such/folder", "/stages/files/root: in phase \"two\": "),
                                 ("/stages/files/limit", -1, "/stages/files/limit: in phase \"two\": expected an integer of at least 0, found -1"),
                                 ("/stages/files/limit", 8, '/stages/staging: in phase "two": an epoch has no batch: 8 samples, batches of 16'),
                                 ("/stages/staging/batch", 17, '/stages/staging: in phase "two": an epoch has no batch: 16 samples, batches of 17'),
                                 ("/stages/fils/limit", 1, "/phases/1/set/~1stages~1fils~1limit: in phase \"two\": there is no stage \"fils\"")):
        phases = [{"name": "one", "epochs": 1}, {"name": "two", "epochs": 1, "set": {target: value}}]
        code, output = program.call(*program.quickstart(*sets(phases=json.dumps(phases))))
        require(code == 2 and fault in output, "%s: exit %d\n%s" % (target, code, output))
        require(not program.runs.exists(), "a run was begun:\n" + output)
    phases[1]["set"] = {"/stages/files/limit": 8, "/stages/staging/batch": 4}
    output = program.ok(*program.quickstart(*sets(phases=json.dumps(phases))))
    require(output.count("files: train: 8 pairs") == 1, "the look ahead is not to be told:\n" + output)


def flood_of_warnings_is_cut(program):
    output = program.ok(*_steps(program, *sets(stages__warns='{"type": "steps.warns"}',
                                                edges__0="files -> decode -> augment -> warns -> staging -> sink"), limit=64))
    require(output.count("odd thing number") == 1000, "%d were shown" % output.count("odd thing number"))
    require(output.count("further ones are not shown") == 1, output[-2000:])
