"""One run of a program: its time, CPU time and memory, with all that it starts."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass

from process_tree import pss_mb


class Failed(Exception):
    """The program's own last words."""


@dataclass
class Run:
    wall_s: float
    cpu_s: float  # user and system, of the program and those it waited for
    pss_mb: float  # the most that was seen
    first_s: float | None  # until it printed FIRST
    lines: list


def _peak_memory(pid, ended, peak):
    # From time to time only: reading it stops the process for as long as it takes.
    while not ended.wait(0.4):
        peak[0] = max(peak[0], pss_mb(pid))


def measured(command, environment=None, stdin=None, timeout_s=600):
    started = time.perf_counter()
    # Killed as a group, so that no worker of a loader that hangs is left.
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [str(word) for word in command],
            env=environment,
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        ended, peak = threading.Event(), [0.0]
        watch = threading.Thread(target=_peak_memory, args=(process.pid, ended, peak))
        alarm = threading.Timer(timeout_s, os.killpg, (process.pid, signal.SIGKILL))
        watch.start()
        alarm.start()
        first_s, lines = None, []
        try:
            for line in process.stdout:
                if line.strip() == "FIRST":
                    first_s = time.perf_counter() - started
                lines.append(line.rstrip("\n"))
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:  # an interrupt; a session of its own gets none of the terminal's
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            alarm.cancel()
            ended.set()
            watch.join()
            process.stdout.close()
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - started
        if process.returncode != 0:
            errors.seek(0)
            said = [line for line in errors.read().splitlines() if line.strip()]
            raise Failed(said[-1] if said else f"ended with {process.returncode}")
    return Run(wall_s, usage.ru_utime + usage.ru_stime, peak[0], first_s, lines)
