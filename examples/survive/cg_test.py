#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The solver loses no, one and three of six ranks, and its answer is the same to the last bit."""
import re
import subprocess
import sys


def main(mpiexec, program):
    answers = {}
    for deaths in (0, 1, 3):
        done = subprocess.run([mpiexec, "--survive", "-q", "-n", "6", "--timeout", "60", program, str(deaths)],
                              capture_output=True, text=True)
        found = re.search(r"(\d+) iterations, (\d+) recoveries, answer (\S+)", done.stdout)
        print(f"{deaths} deaths: status {done.returncode}: {done.stdout.strip()} {done.stderr.strip()}")
        if done.returncode != 0 or not found or (int(found.group(2)) > 0) != (deaths > 0):
            return 1
        answers[deaths] = (found.group(1), found.group(3))
    return 0 if len(set(answers.values())) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
