#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Kills a job that communicates as hard as it can, at random moments, and looks for what is left of it.

  kill.py --bin build/release/bin --times 200

Each time the soak runs under mpiexec, and a random rank, mpiexec or all of them get a signal. Then mpiexec must have
ended in time, with a status that is not 0 and, where it lived to tell, with the rank and the signal, and without a note
on ranks that wait; no process of the job may be alive, and no file or memory of it may be left. The seed that is printed
repeats a run's choices, not its timing.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid

END_LIMIT_S = 15
MARKER_NAME = "STRESS_KILL_MARKER"
PLACES = ("/dev/shm", "/tmp", "/var/tmp", "/run/user")


def environment_of(process_id):
    try:
        with open(f"/proc/{process_id}/environ", "rb") as file:
            return dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    except OSError:
        return {}


def job_processes(marker):
    """Process id and environment of everything alive that inherited the marker, zombies aside."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        environment = environment_of(name)
        if environment.get(MARKER_NAME.encode()) == marker.encode():
            found[int(name)] = environment
    return found


def ranks_of(processes):
    """Process ids by rank."""
    return {int(environment[b"STARLING_JOB_RANK"]): process_id
            for process_id, environment in processes.items() if b"STARLING_JOB_RANK" in environment}


def starling_files():
    """What a job might leave in the folders for temporary files."""
    found = set()
    for place in PLACES:
        if os.path.isdir(place):
            found.update(os.path.join(place, name) for name in os.listdir(place) if "starling" in name.lower())
    return found


class Trial:
    def __init__(self, bin_folder, chance, folder):
        self.bin, self.chance = bin_folder, chance
        self.marker = uuid.uuid4().hex
        self.folder = folder
        self.ranks = chance.choice((2, 3, 4, 8))
        self.moment_s = chance.choice((0.0, 0.02, 0.1, 0.3)) + chance.random() * 0.3
        self.target = chance.choice(("rank", "rank", "rank", "mpiexec", "ranks"))
        signals = {
            "rank": (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGBUS),
            "ranks": (signal.SIGKILL,),
            "mpiexec": (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP),
        }
        self.signal = chance.choice(signals[self.target])
        self.victim_rank = None

    def __str__(self):
        whom = f"rank {self.victim_rank}" if self.target == "rank" else self.target
        return f"{self.ranks} ranks, {signal.Signals(self.signal).name} to {whom} after {self.moment_s:.3f} s"

    def start(self):
        command = [os.path.join(self.bin, "mpiexec"), "-n", str(self.ranks), os.path.join(self.bin, "stress_soak"),
                   "--messages", "1000000000", "--seed", str(self.chance.randrange(1 << 30)), "--marker", self.marker]
        self.error_path = os.path.join(self.folder, "stderr")
        temporary = os.path.join(self.folder, "tmp")
        os.makedirs(temporary, exist_ok=True)
        with open(self.error_path, "wb") as errors:
            self.mpiexec = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                            env=dict(os.environ, **{MARKER_NAME: self.marker, "TMPDIR": temporary}))
        return temporary

    def strike(self):
        """Returns whether there was anybody to strike."""
        deadline = time.monotonic() + END_LIMIT_S
        ranks = {}
        while self.target != "mpiexec" and len(ranks) < self.ranks and time.monotonic() < deadline:
            ranks = ranks_of(job_processes(self.marker))
        time.sleep(self.moment_s)
        if self.target == "mpiexec":
            self.mpiexec.send_signal(self.signal)
            return True
        if len(ranks) < self.ranks:
            return False
        victims = list(ranks) if self.target == "ranks" else [self.chance.choice(list(ranks))]
        self.victim_rank = victims[0]
        for rank in victims:
            try:
                os.kill(ranks[rank], self.signal)
            except ProcessLookupError:
                pass
        return True

    def problems(self, files_before, temporary):
        """What is wrong after the strike; each a sentence."""
        try:
            code = self.mpiexec.wait(timeout=END_LIMIT_S)
        except subprocess.TimeoutExpired:
            yield f"mpiexec has not ended within {END_LIMIT_S} s"
            self.clean_up()
            return
        if code == 0:
            yield "mpiexec ended with status 0"
        with open(self.error_path, errors="replace") as file:
            report = file.read()
        if self.target == "rank" and f"rank {self.victim_rank}" not in report.lower():
            yield f"mpiexec does not name rank {self.victim_rank}: {report[-2000:]!r}"
        if self.target == "rank" and signal.Signals(self.signal).name not in report:
            yield f"mpiexec does not name {signal.Signals(self.signal).name}: {report[-2000:]!r}"
        if "starling: note" in report:
            yield f"a note on a job that was killed: {report[-2000:]!r}"
        deadline = time.monotonic() + END_LIMIT_S
        while (left := job_processes(self.marker)) and time.monotonic() < deadline:
            time.sleep(0.01)
        if left:
            yield f"processes are left: {sorted(left)}"
            self.clean_up()
        if files := starling_files() - files_before:
            yield f"files are left: {sorted(files)}"
        if files := os.listdir(temporary):
            yield f"temporary files are left: {files}"

    def clean_up(self):
        for process_id in job_processes(self.marker):
            try:
                os.kill(process_id, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.mpiexec.wait()


def shared_memory_kib():
    """Shared memory of the machine; memory files without a process would show here."""
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Shmem:"))


def run_trial(bin_folder, chance):
    with tempfile.TemporaryDirectory(prefix="stress_kill_") as folder:
        trial = Trial(bin_folder, chance, folder)
        files_before = starling_files()
        temporary = trial.start()
        if not trial.strike():
            trial.clean_up()
            return [f"{trial}: the ranks did not appear"]
        return [f"{trial}: {problem}" for problem in trial.problems(files_before, temporary)]


def main():
    parser = argparse.ArgumentParser(description="Kills jobs at random moments and looks for what they leave.")
    parser.add_argument("--bin", required=True, help="the folder of mpiexec and stress_soak")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    memory_before = shared_memory_kib()
    problems = []
    for _ in range(arguments.times):
        found = run_trial(arguments.bin, chance)
        problems += found
        for problem in found:
            print(problem, flush=True)
    print(f"{arguments.times} jobs killed, seed {arguments.seed}, {len(problems)} problems, "
          f"shared memory of the machine {shared_memory_kib() - memory_before:+d} KiB", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
