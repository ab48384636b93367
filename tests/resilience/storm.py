#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of which 1 to all but one of the ranks are killed at random moments of random calls.

  storm.py --bin build/release/bin --times 1000

Every survivor must end with status 0 in bounded time, nothing of the job may be left, and mpiexec may tell of kills only: the
survivors get on, so a note on ranks that wait is a false word. The seed that is printed repeats the choices of a job, not its
timing.
"""
import argparse
import os
import random
import subprocess
import sys
import time

LIMIT_S = 40


def run_job(bin_folder, seed):
    chance = random.Random(seed)
    ranks = chance.randint(4, 16)
    victims = chance.randint(1, ranks - 1)
    when = chance.choice(("inside", "inside", "inside", "inside", "init", "finalize"))
    span_us = chance.choice((2_000, 20_000, 100_000, 400_000)) if when == "inside" else chance.choice((1_000, 20_000, 60_000))
    command = [os.path.join(bin_folder, "mpiexec"), "--survive", "-n", str(ranks),
               os.path.join(bin_folder, "resilience_storm"), str(seed), str(victims), str(span_us), when]
    # Half of the jobs revoke by a flag in shared memory, half over the binomial graph.
    flags = chance.choice("01")
    what = f"seed {seed}: {ranks} ranks, {victims} victims within {span_us} us, {when}, flags {flags}"
    begin = time.monotonic()
    job = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                           env=dict(os.environ, STORM_RANKS=str(ranks), STARLING_REVOKE_FLAGS=flags))
    try:
        _, errors = job.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        return f"{what}: not over after {LIMIT_S} s", time.monotonic() - begin
    # The last of the victims may come through MPI_Finalize before its moment has come; a job of which none does is lost.
    if job.returncode != 0:
        return f"{what}: status {job.returncode}: {errors[-1500:]}", time.monotonic() - begin
    if "starling: note" in errors:
        return f"{what}: a note on a job that gets on: {errors[-1500:]}", time.monotonic() - begin
    return None, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description="Kills ranks of jobs that are to survive it.")
    parser.add_argument("--bin", required=True, help="the folder of mpiexec and resilience_storm")
    parser.add_argument("--times", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first job; the others follow")
    arguments = parser.parse_args()
    problems, longest = 0, 0.0
    for seed in range(arguments.seed, arguments.seed + arguments.times):
        problem, took = run_job(arguments.bin, seed)
        longest = max(longest, took)
        if problem:
            problems += 1
            print(problem, flush=True)
    print(f"{arguments.times} jobs from seed {arguments.seed} on, {problems} problems, the longest took {longest:.1f} s", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
