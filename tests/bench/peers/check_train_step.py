#!/usr/bin/env python3
"""train_step.py runs on a CPU, and with --wait only as many blocks as it is asked for, each on its
turn: check_train_step.py NETWORK [OPTIONS of train_step.py...]"""
import json
import subprocess
import sys
from pathlib import Path

command = [sys.executable, Path(__file__).with_name("train_step.py"), "--network", *sys.argv[1:],
           "--device", "cpu", "--size", "64", "--batch", "2", "--precision", "float32",
           "--warmup", "1", "--steps", "2", "--blocks", "5", "--wait"]
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
    print(peer.stdout.readline(), end="")
    for block in range(2):
        peer.stdin.write("\n")
        peer.stdin.flush()
        line = json.loads(peer.stdout.readline())
        print(line)
        assert line["block"] == block and 0 < line["min_ms"] <= line["median_ms"], line
        assert abs(line["images_per_s"] * line["median_ms"] / 2000 - 1) < 0.01, line
    peer.stdin.close()
    assert peer.stdout.read() == "", "more blocks than asked for"
sys.exit(peer.returncode)
