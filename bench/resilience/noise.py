#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What a job pays outside of recovery: with --survive beside without, and after recoveries beside before them.

usage: bench/resilience/noise.py [--build build/release] [--ranks 2] [--pairs 5]

Jobs with and without --survive alternate; in the former communicators are revoked and shrunk between blocks. Prints the medians of
the pairs: an allreduce of 8 bytes and a fixed piece of work, each with its median and its 99th percentile, in us.
"""
import argparse
import statistics
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent


def run(options, *more):
    command = [options.build / "bin/mpiexec", "-q", "-n", str(options.ranks), *more[:-1], options.build / "bench/resilience/noise", "5",
               more[-1]]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in said.splitlines() if line.startswith(("before", "after"))]
    return {line[0]: [float(line[at]) for at in (2, 3, 5, 6)] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    found = {"plain": [], "--survive, before recoveries": [], "--survive, after recoveries": []}
    for _ in range(options.pairs):
        found["plain"].append(run(options, "calm")["before"])
        survived = run(options, "--survive", "recover")
        found["--survive, before recoveries"].append(survived["before"])
        found["--survive, after recoveries"].append(survived["after"])
    print(f"{options.ranks} ranks, {options.pairs} pairs{'':14} allreduce     99 %       work     99 %")
    for name, rows in found.items():
        print(f"{name:30}" + "".join(f"{statistics.median(column):10.3f}" for column in zip(*rows)))


if __name__ == "__main__":
    main()
