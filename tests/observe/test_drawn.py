# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling why on programs drawn at random that hang: what it says is compared with what an oracle knows.

usage: test_drawn.py [--seeds NUMBER] [--first SEED] [--jobs NUMBER]

Each program runs as real processes (drawn.c). Where something is wrong its seed is printed, with the program: drawn_programs.py
SEED shows what the oracle says of it.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import drawn_answers as answers
import drawn_programs as drawn

BIN = os.environ.pop("STARLING_BIN", "") or os.path.join(os.path.dirname(__file__), "../../build/release/bin")
MPIEXEC, STARLING, PROGRAM = (os.path.join(BIN, name) for name in ("mpiexec", "starling", "observe_drawn"))
LIMIT_S = 60
LEAST_ASKS = 30  # whatever the time, on a machine that has stopped for a while
STAYS_S = 3
WENT_ON, REFUSED = "went on", "refused by the library"
NOT_WRONG = (None, WENT_ON, REFUSED)


def ask(job):
    said = subprocess.run([STARLING, "why", "--quick", str(job.pid)], capture_output=True, text=True, timeout=10 * LIMIT_S)
    return said.stdout + said.stderr


def problem_of(program, text, positions):
    """What is wrong with an answer; None: nothing."""
    try:
        answer = answers.Answer(text)
        answers.check_mixed(program, answer, positions) if program.mixed else answers.check(program, answer)
    except answers.Wrong as wrong:
        return f"{wrong}\n{text}"
    return None


def passes_corrupted(program, text, positions):
    """An answer that has been spoilt and is taken for right all the same; None: there is none."""
    for spoilt in answers.corrupted(program, answers.Answer(text)):
        if problem_of(program, spoilt, positions) is None:
            return spoilt
    return None


def judge(program, job, positions_now):
    """Asks until the answer is right: None. Else what is wrong with the last one."""
    began = changed = time.monotonic()
    before, asked = None, 0
    while True:
        asked += 1
        positions = positions_now()
        text = ask(job)
        stands = positions == positions_now()
        problem = problem_of(program, text, positions) if stands else "the ranks go on"
        if problem is None:
            spoilt = passes_corrupted(program, text, positions)
            return f"the comparison lets this pass:\n{spoilt}\nin place of\n{text}" if spoilt else None
        has_ended = job.poll() is not None
        if positions != before:
            before, changed = positions, time.monotonic()
        if program.mixed:
            # A library may let all members go on, or refuse what they do. Where they are they say themselves.
            if has_ended:
                return REFUSED if job.returncode != 0 else WENT_ON
            left = all(positions[rank] > at for rank, at in program.mixed_steps().items())
            if left and time.monotonic() > changed + STAYS_S:
                return WENT_ON
        # The ranks have to come where they hang; but nothing false may be said on the way.
        elif has_ended or answers.is_false(program, text):
            return problem
        if time.monotonic() > began + LIMIT_S and asked > LEAST_ASKS:
            if not program.mixed and positions != program.at:
                problem += f"\nthe ranks have left {positions} steps behind them, the oracle says {program.at}"
            return problem
        time.sleep(0.05)


def run(seed):
    """Whether members call a collective otherwise, and one of NOT_WRONG, or what is wrong."""
    program = drawn.draw(seed)
    size = len(program.scripts)
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(size))
        file.flush()
        job = subprocess.Popen([MPIEXEC, "--on-deadlock=nothing", "-n", str(size), PROGRAM, program.text(), program.threads, file.name],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            problem = judge(program, job, lambda: tuple(os.pread(file.fileno(), size, 0)))
        finally:
            job.terminate()
            printed = job.communicate(timeout=10 * LIMIT_S)[0]
    if problem == REFUSED and "MPI_ERR" not in printed:
        problem = "the job has failed, and no error is said"
    if problem not in NOT_WRONG:
        problem = f"seed {seed}: {problem}  {program.text()} {program.threads}\n{printed}"
    return program.mixed is not None, problem


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(run, range(options.first, options.first + options.seeds)))
    wrong = [problem for _, problem in found if problem not in NOT_WRONG]
    mixed = [problem for is_mixed, problem in found if is_mixed]
    print("\n".join(wrong))
    print(f"{sum(problem is None for _, problem in found)} of {options.seeds} programs are named right, and {len(wrong)} wrong; "
          f"in {len(mixed)} members call a collective otherwise: {mixed.count(None)} are named, {mixed.count(REFUSED)} "
          f"refused by the library, {mixed.count(WENT_ON)} do not hang there")
    # Were such programs never named, going on would hide it.
    never_named = len(mixed) >= 16 and mixed.count(None) * 5 < len(mixed)
    return 1 if wrong or never_named else 0


if __name__ == "__main__":
    sys.exit(main())
