#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What it costs when half of eight workers die in the middle of a run: Starling, tasks that sleep.

usage: bench/farm/kill_half.py [BUILD_FOLDER]
Prints the time of a run in peace, of a run with four kills, and what the lost capacity alone would make of it.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
TASKS, MICROSECONDS = 8000, 2000
STAR = 'root = "s"\n[nodes.s]\nthreads = 0\nchildren = [' + ", ".join(f'"w{i}"' for i in range(8)) + "]\n" + "".join(
    f"[nodes.w{i}]\nthreads = 1\n" for i in range(8))


def run(folder, kill_at):
    """Seconds of the run, and when the kills came."""
    out, tree = folder / "out", folder / "tree.toml"
    for old in folder.glob("out*"):
        old.unlink()
    tree.write_text(STAR)
    farm = subprocess.Popen([BUILD / "bin/mpiexec", "--survive", "-n", "9", BUILD / "bin/farm_program_starling", str(TASKS),
                             str(MICROSECONDS), "10", out, "--farm-tree", tree, "--farm-attempts=100"],
                            stderr=subprocess.PIPE, text=True)
    while not out.exists():
        time.sleep(0.001)
    start = time.perf_counter()
    if kill_at:
        time.sleep(kill_at)
        for pid in [int(path.name.split(".")[2]) for path in folder.glob("out.*.*")][:4]:
            os.kill(pid, signal.SIGKILL)
    killed = time.perf_counter() - start
    errors = farm.communicate()[1]
    assert len(set(out.read_text().split())) == TASKS, errors
    return float(re.search(r"tasks in ([0-9.e+-]+) s", errors).group(1)), killed


def main():
    with tempfile.TemporaryDirectory() as name:
        peace = min(run(Path(name), 0)[0] for _ in range(3))
        for _ in range(3):
            seconds, killed = run(Path(name), peace / 2)
            print(f"in peace {peace:.2f} s; four of eight killed after {killed:.2f} s: {seconds:.2f} s; "
                  f"the lost capacity alone: {killed + 2 * (peace - killed):.2f} s")


if __name__ == "__main__":
    main()
