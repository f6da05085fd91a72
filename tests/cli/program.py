"""Runs the real program for the checks: quick settings, its output, its metrics, signals at a moment."""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import urllib.request

from checks import Failed, require


class Running:
    """A started program; its output (both streams) is read from a file at any time."""

    def __init__(self, command, env, cwd):
        self._file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=self._file, stderr=subprocess.STDOUT)

    def output(self):
        return os.pread(self._file.fileno(), 1 << 24, 0).decode(errors="replace")

    def wait_until(self, condition, what, seconds=60):
        until = time.monotonic() + seconds
        while not condition():
            require(self.process.poll() is None, "the program ended with %s before: %s\n%s" % (self.process.returncode, what, self.output()))
            require(time.monotonic() < until, "not within %d s: %s\n%s" % (seconds, what, self.output()))
            time.sleep(0.01)

    def signal(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def end(self, seconds):
        """(exit code, output); more than `seconds` is a failure."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failed("has not ended after %g s:\n%s" % (seconds, self.output())) from None
        return code, self.output()

    def metrics(self):
        url = re.search(r"metrics at (http://\S+/metrics)", self.output())
        require(url, "no line says where the metrics are:\n" + self.output())
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy: it is this machine
        with opener.open(url[1], timeout=5) as answer:
            return answer.read().decode()


class Program:
    def __init__(self, path, graphs, cache, folder):
        self.path, self.graphs, self.cache, self.folder = path, pathlib.Path(graphs), pathlib.Path(cache), pathlib.Path(folder)
        self.runs = self.folder / "runs"

    def env(self, **more):
        env = {name: value for name, value in os.environ.items() if name not in ("COD10K_ROOT", "IMAGENET_ROOT", "FLOWTRAIN_PLUGIN_PATH")}
        return env | {"FLOWTRAIN_CACHE": str(self.cache)} | {name: str(value) for name, value in more.items()}

    @contextlib.contextmanager
    def start(self, *arguments, **env):
        running = Running([self.path, *map(str, arguments)], self.env(**env), self.folder)
        try:
            yield running
        finally:
            if running.process.poll() is None:
                running.process.kill()
                running.process.wait()

    def call(self, *arguments, seconds=100, **env):
        with self.start(*arguments, **env) as running:
            return running.end(seconds)

    def ok(self, *arguments, **env):
        code, output = self.call(*arguments, **env)
        require(code == 0, "exit %d of %s\n%s" % (code, " ".join(map(str, arguments)), output))
        return output

    def quickstart(self, *more, limit=16):
        return ["run", self.graphs / "quickstart.json", "--out", self.runs, *sets(metrics__listen="127.0.0.1:0", stages__files__limit=limit), *more]

    def training(self, *more, epochs=2, batch=8, limit=32, val_limit=16, val_batch=8):
        """A run of a second or two: the demo's small network on a few of its images."""
        return ["run", self.graphs / "cod10k.json", "--profile", "demo", "--out", self.runs,
                *sets(metrics__listen="127.0.0.1:0", stages__trainer__epochs=epochs, stages__trainer__log_every=1,
                      stages__files__limit=limit, stages__val_files__limit=val_limit, stages__staging__batch=batch,
                      stages__val_staging__batch=val_batch), *more]

    def run_folder(self):
        folders = sorted(self.runs.iterdir()) if self.runs.is_dir() else []
        require(len(folders) == 1, "one run folder was expected in %s, found: %s" % (self.runs, folders))
        return folders[0]

    def builtin(self):
        """The folder of the set that the program makes."""
        runs, self.runs = self.runs, self.folder / "making"
        self.ok(*self.quickstart())
        self.runs = runs
        return self.cache / "camouflage-v1"


def sets(**values):
    """stages__files__limit=8 becomes --set /stages/files/limit=8."""
    return [part for name, value in values.items() for part in ("--set", "/%s=%s" % (name.replace("__", "/"), value))]


def records(folder, kind):
    path = folder / "metrics.jsonl"
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [record for record in (json.loads(line) for line in lines if line.endswith("\n")) if record["kind"] == kind]


def hashes(path):
    return path.read_text().splitlines() if path.exists() else []


def series(text, name):
    """{stage: value} of a metric in Prometheus' text format; outcomes are summed."""
    out = {}
    for labels, value in re.findall(r"^%s\{(.*)\} (\S+)$" % name, text, re.M):
        key = re.search(r'(?:stage|pool)="([^"]*)"', labels)[1]
        out[key] = out.get(key, 0) + float(value)
    return out
