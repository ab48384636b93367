# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling why on programs drawn at random that hang: what it says is compared with what an oracle knows.

usage: test_drawn.py [--seeds NUMBER] [--first SEED] [--jobs NUMBER]

Each program runs as real processes (drawn.c). Where something is wrong its seed is printed, with the program: drawn_programs.py
SEED shows what the oracle says of it.
"""
import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import drawn_programs as drawn

BIN = os.environ.pop("STARLING_BIN", "") or os.path.join(os.path.dirname(__file__), "../../build/release/bin")
MPIEXEC, STARLING, PROGRAM = (os.path.join(BIN, name) for name in ("mpiexec", "starling", "observe_drawn"))
LIMIT_S = 60
WINDOW_CALLS = {"P": {"MPI_Win_wait"}, "G": {"MPI_Win_start", "MPI_Win_complete"}}


class Wrong(Exception):
    pass


def numbers(text):
    """The ranks in "0 to 3, 5 and 8"."""
    found = set()
    for first, last in re.findall(r"(\d+)(?: to (\d+))?", text):
        found |= set(range(int(first), int(last or first) + 1))
    return found


class Answer:
    """What starling why has printed."""

    def __init__(self, text):
        self.text = text
        lines = text.splitlines() or [""]
        self.sentence = lines[0]
        self.verdict = "deadlock" if self.sentence.startswith("deadlock: ") else \
            "probably" if self.sentence.startswith("probably deadlock: ") else "other"
        self.doing = {}
        for line in lines[1:]:
            if match := re.match(r"  ranks? ([\d, andto]+?)  +(\S.*)$", line):
                for rank in numbers(match[1]):
                    self.doing[rank] = match[2]

    def circles(self):
        """The sets of ranks that wait for each other."""
        parts = self.sentence.split(": ", 1)[1].split("; ")
        circles = [parts[0]] + [part[4:] for part in parts[1:] if part.startswith("and ")]
        return [{int(rank) for rank in re.findall(r"(\d+)(?: waits)? for (?!them)", part)} for part in circles]

    def culprits(self):
        """The ranks that are said to keep others waiting."""
        found = set()
        for named in re.findall(r"ranks? ([\d, andto]+) (?:is|are) missing in ", self.sentence):
            found |= numbers(named)
        for named in re.findall(r"waits? for (?:one of )?([\d, andto]+) in ", self.sentence):
            found |= numbers(named)
        return found


def check_rank(program, rank, doing):
    """Compares what is said of a rank with what it does."""
    hang = program.hangs[rank]
    wanted = {"F": "MPI_Finalize", "O": "is outside MPI|are outside MPI|has been outside MPI|have been outside MPI",
              "T": "loop of MPI_Test that gets nowhere", "Z": "loop of (MPI_Test|tests) that gets nowhere"}.get(hang.kind)
    calls = WINDOW_CALLS.get(hang.kind) or {drawn.CALLS.get(hang.kind, wanted)}
    if not any(re.search(call, doing) for call in ([wanted] if wanted else calls)):
        raise Wrong(f"rank {rank} is in {calls or wanted}, and '{doing}' is said")
    if hang.kind in "RS" and f"with tag {hang.step.tag}" not in doing:
        raise Wrong(f"rank {rank} waits with tag {hang.step.tag}, and '{doing}' is said")
    if hang.kind in drawn.COLLECTIVES:
        # On the world, drawn.c has made communicators, and perhaps a window.
        made = 3 + any(step.kind in "PG" for script in program.scripts for step in script) if hang.step.comm == 0 else 0
        if f"its number {hang.sequence + made}," not in doing:
            raise Wrong(f"rank {rank} is in collective {hang.sequence + made}, and '{doing}' is said")
        name = drawn.comm_name(hang.step.comm, rank, len(program.scripts))
        if name and f"'{name}'" not in doing:
            raise Wrong(f"rank {rank} is in a collective on {name}, and '{doing}' is said")
    if rank in program.waiting:
        said = numbers(match[1]) if (match := re.search(r", for (?:one of )?(.*?)(?: \(|$)", doing)) else set()
        if said != set(hang.targets):
            raise Wrong(f"rank {rank} waits for {sorted(hang.targets)}, and '{doing}' is said")


def check(program, answer):
    """Raises Wrong where the answer is not what the oracle knows."""
    ranks = range(len(program.scripts))
    missing = [rank for rank in ranks if rank not in answer.doing]
    if missing:
        raise Wrong(f"nothing is said of {missing}")
    for rank in ranks:
        check_rank(program, rank, answer.doing[rank])
    stuck = program.stuck
    if not stuck:
        if answer.verdict != "other":
            raise Wrong("there is no deadlock")
        if answer.culprits() & program.culprits != program.culprits and "more such waits" not in answer.sentence:
            raise Wrong(f"{sorted(program.culprits)} keep others waiting")
        return
    if answer.verdict == "other":
        raise Wrong(f"there is a deadlock of {sorted(stuck)}")
    circles = answer.circles()
    for circle in circles:
        if not circle or drawn.stuck_among(program.hangs, circle) != circle:
            raise Wrong(f"{sorted(circle)} do not wait for each other")
    windows = any(program.hangs[rank].kind in "PG" for circle in circles for rank in circle)
    if windows != (answer.verdict == "probably"):
        raise Wrong("only what involves windows is probable")


def is_false(program, answer):
    """Whether the answer is wrong at whatever moment it is given."""
    return answer.verdict != "other" and not program.stuck


def run(seed):
    """None, or what is wrong."""
    program = drawn.draw(seed)
    job = subprocess.Popen([MPIEXEC, "--on-deadlock=nothing", "-n", str(len(program.scripts)), PROGRAM, program.text()],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    deadline = time.monotonic() + LIMIT_S
    problem = answer = None
    try:
        while True:
            said = subprocess.run([STARLING, "why", "--quick", str(job.pid)], capture_output=True, text=True, timeout=LIMIT_S)
            answer = Answer(said.stdout)
            try:
                check(program, answer)
                return None
            except Wrong as wrong:
                problem = wrong
            # The ranks have to come where they hang; but nothing false may be said on the way.
            if is_false(program, answer) or job.poll() is not None or time.monotonic() > deadline:
                break
            time.sleep(0.05)
    finally:
        job.terminate()
        printed = job.communicate(timeout=LIMIT_S)[0]
    return f"seed {seed}: {problem}\n  {program.text()}\n{answer.text}{said.stderr}{printed}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with ThreadPoolExecutor(options.jobs) as pool:
        wrong = [found for found in pool.map(run, range(options.first, options.first + options.seeds)) if found]
    print("\n".join(wrong))
    print(f"{options.seeds - len(wrong)} of {options.seeds} programs are named right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
