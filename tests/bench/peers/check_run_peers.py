#!/usr/bin/env python3
"""run_peers.py without the other loaders: check_run_peers.py BUILD"""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

import run_peers
import table
from measured_run import Failed, measured

BUILD = Path(sys.argv.pop())
os.environ.pop("FLOWTRAIN_TEST_DATA", None)  # made files do
ONCE = ["--build", str(BUILD), "--no-resamplers", "--rounds", "1"]


def record(loader, round_, cpu_s):
    return {
        "loader": loader,
        "task": "classification",
        "round": round_,
        "images_per_s": 1 / cpu_s,
        "cpu_s": cpu_s,
        "pss_mb": 10.0,
        "first_s": 0.1,
    }


class Table(unittest.TestCase):
    def test_a_ratio_is_of_one_round_and_the_table_has_their_median(self):
        # The machine is half as fast in round 1, for both loaders.
        records = [
            record("ours", 0, 1.0),
            record("grain", 0, 1.6),
            record("grain", 1, 3.0),
            record("ours", 1, 2.0),
            record("ours", 2, 1.0),
            record("grain", 2, 1.4),
            record("grain", 3, 9.0),
        ]
        self.assertEqual(table.ratios(records, "classification", "grain", "ours"), [1.6, 1.5, 1.4])
        row = next(
            line
            for line in table.markdown(records, {"grain": "1.2.3"}).splitlines()
            if "Grain" in line
        )
        self.assertIn("| 1.50 (goal 1.5) |", row)
        self.assertIn("grain 1.2.3", row)

    def test_a_missed_goal_is_said(self):
        records = [record("ours", 0, 1.0), record("grain", 0, 1.49)]
        self.assertIn("1.49 (goal 1.5, missed)", table.markdown(records, {}))


class Measured(unittest.TestCase):
    def test_cpu_time_and_memory_are_of_the_program_and_what_it_starts(self):
        work = "import time\nheld = bytearray(50 << 20)\nwhile time.process_time() < 0.6: pass\n"
        start = (
            "import subprocess, sys\nprint('FIRST', flush=True)\n"
            f"subprocess.run([sys.executable, '-c', {work!r}])"
        )
        run = measured([sys.executable, "-c", start])
        self.assertGreater(run.cpu_s, 0.6)
        self.assertGreater(run.pss_mb, 50)
        self.assertLess(run.first_s, run.wall_s - 0.5)

    def test_a_program_that_fails_is_reported_by_its_last_words(self):
        with self.assertRaisesRegex(Failed, "no such photograph"):
            measured([sys.executable, "-c", "raise SystemExit('no such photograph')"])

    def test_a_program_that_hangs_is_ended(self):
        with self.assertRaises(Failed):
            measured([sys.executable, "-c", "import time; time.sleep(60)"], timeout_s=0.5)


class Driver(unittest.TestCase):
    def test_flowtrain_and_the_bare_loop_load_made_files(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log"
            with contextlib.redirect_stdout(io.StringIO()) as said:
                run_peers.main(
                    ONCE + ["--images", "512", "--loaders", "ours", "bare", "--log", str(log)]
                )
            runs = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual(
            sorted((run["task"], run["loader"]) for run in runs),
            [
                (task, loader)
                for task in ("classification", "segmentation")
                for loader in ("bare", "ours")
            ],
        )
        for run in runs:
            self.assertTrue(0.05 < run["cpu_s"] < 50, run)
            self.assertTrue(0 < run["first_s"] < 60 and run["pss_mb"] > 5, run)
        self.assertEqual(said.getvalue().count("bare C++ loop, INTER_LINEAR"), 2)
        print(said.getvalue())

    def test_loaders_that_are_not_installed_are_left_out_and_named(self):
        with contextlib.redirect_stderr(io.StringIO()) as why, self.assertRaisesRegex(
            SystemExit, "no loader is left"
        ):
            run_peers.main(ONCE + ["--python", "/nonexistent", "--loaders", "grain", "dali"])
        self.assertIn(
            "DALI on the CPU, `antialias=False`: left out, nvidia-dali-cuda130 not installed",
            why.getvalue(),
        )
        self.assertIn("Grain's threads, OpenCV: left out", why.getvalue())


unittest.main()
