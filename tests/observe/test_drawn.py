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
STAYS_S = 3
WENT_ON, REFUSED = "went on", "refused by the library"
NOT_WRONG = (None, WENT_ON, REFUSED)
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
        made = program.made(hang.step.comm)
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


def mismatch_of(sentence):
    """Who called what, as the sentence of a mismatch says it: {(call, root, bytes): ranks}."""
    found, call = {}, None
    part = re.compile(r"ranks? ([\d, andto]+?)(?: called)?(?: (MPI_\w+))?(?: with (?:root (\d+)|(\d+)(?: bytes)?))?(?=, rank| on |$)")
    for named, of_part, root, size in part.findall(sentence.split("; ")[0]):
        call = of_part or call
        found[call, int(root) if root else None, int(size) if size else None] = numbers(named)
    return found


def check_mixed(program, answer):
    """Raises Wrong where the answer does not say who called the mixed collective how."""
    said, wanted = mismatch_of(answer.sentence), program.mixed_groups()
    if said != wanted:
        raise Wrong(f"{wanted} is what was called, and {said} is said")


def waits_in_mixed(program, answer):
    """Whether somebody waits in the collective that members have called otherwise."""
    (comm, first), number = program.mixed
    size = len(program.scripts)
    name = drawn.comm_name(comm, first, size)
    where = (f" on '{name}'" if name else r"MPI_\w+") + rf", its number {number + program.made(comm)}\b"
    return any(re.search(where, answer.doing.get(rank, "")) for rank in drawn.members(comm, first, size))


def is_false(program, answer):
    """Whether the answer is wrong at whatever moment it is given."""
    return answer.verdict != "other" and not program.stuck


def ask(job):
    said = subprocess.run([STARLING, "why", "--quick", str(job.pid)], capture_output=True, text=True, timeout=LIMIT_S)
    return Answer(said.stdout + said.stderr)


def judge(program, job):
    """Asks until the answer is right: None. Else what is wrong with the last one."""
    began = changed = time.monotonic()
    before = None
    while True:
        answer = ask(job)
        try:
            check_mixed(program, answer) if program.mixed else check(program, answer)
            return None
        except Wrong as wrong:
            problem = f"{wrong}\n{answer.text}"
        has_ended = job.poll() is not None
        doing = {rank: what.split(" (")[0] for rank, what in answer.doing.items()}
        if doing != before:
            before, changed = doing, time.monotonic()
        if program.mixed:
            # A library may let all members go on, or refuse what they do.
            stays = bool(doing) and time.monotonic() > changed + STAYS_S
            if has_ended:
                return REFUSED if job.returncode != 0 else WENT_ON
            if stays and not waits_in_mixed(program, answer):
                return WENT_ON
        # The ranks have to come where they hang; but nothing false may be said on the way.
        elif is_false(program, answer) or has_ended:
            return problem
        if time.monotonic() > began + LIMIT_S:
            return problem
        time.sleep(0.05)


def run(seed):
    """Whether members call a collective otherwise, and one of NOT_WRONG, or what is wrong."""
    program = drawn.draw(seed)
    job = subprocess.Popen([MPIEXEC, "--on-deadlock=nothing", "-n", str(len(program.scripts)), PROGRAM, program.text()],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        problem = judge(program, job)
    finally:
        job.terminate()
        printed = job.communicate(timeout=LIMIT_S)[0]
    if problem not in NOT_WRONG:
        problem = f"seed {seed}: {problem}  {program.text()}\n{printed}"
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
    never_named = len(mixed) >= 16 and mixed.count(None) * 8 < len(mixed)
    return 1 if wrong or never_named else 0


if __name__ == "__main__":
    sys.exit(main())
