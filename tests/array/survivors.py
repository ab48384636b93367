#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs of an object array of which processes are killed at random moments.

  survivors.py --mpiexec build/release/bin/mpiexec --program build/release/bin/array_survivors --times 50

Those of even seeds are of processes that leave the session and join it. Each must end in bounded time with the right
result. The seed repeats the choices of a run, not its timing.
"""
import argparse
import random
import re
import subprocess
import sys

LIMIT_S = 40


def run_job(arguments, seed):
    """What went wrong, or None; and how many processes died before the end."""
    chance = random.Random(seed)
    ranks = chance.randint(2, 7)
    resizes = seed % 2 == 0
    victims = chance.randint(1, ranks // 2)
    span_us = chance.choice((200, 1_000, 5_000) if resizes else (1_000, 5_000, 20_000, 60_000))
    command = [arguments.mpiexec, "--survive", "-q", "-n", str(ranks), arguments.program, str(seed), str(victims), str(span_us)]
    what = f"seed {seed}: {ranks} processes, {victims} victims within {span_us} us"
    if seed % 8 == 4 and ranks > 2:
        command.append("spawn")
        what = f"seed {seed}: {ranks} processes that two join, a victim within {span_us} us"
    elif resizes:
        command.append("resize")
        what = f"seed {seed}: {ranks} processes that leave and join, a victim each time within {span_us} us"
    job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        output, errors = job.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        return f"{what}: not over after {LIMIT_S} s", 0
    result = re.search(r"(\d+) of (\d+) processes are left; the result is right", output)
    if job.returncode != 0 or not result or "WRONG" in output:
        return f"{what}: status {job.returncode}: {output} {errors[-1500:]}", 0
    return None, int(result.group(2)) - int(result.group(1))


def main():
    parser = argparse.ArgumentParser(description="Kills processes of runs that are to survive it.")
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first run; the others follow")
    arguments = parser.parse_args()
    problems, deaths, hit = 0, 0, 0
    for seed in range(arguments.seed, arguments.seed + arguments.times):
        problem, died = run_job(arguments, seed)
        deaths += died
        hit += died > 0
        if problem:
            problems += 1
            print(problem, flush=True)
    print(f"{arguments.times} runs from seed {arguments.seed} on, {deaths} deaths in {hit} of them, {problems} problems", flush=True)
    return 1 if problems or hit < arguments.times // 4 else 0


if __name__ == "__main__":
    sys.exit(main())
