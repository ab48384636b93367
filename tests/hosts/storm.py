# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Kills anybody of a job over two hosts at random moments: mpiexec, an agent, a remote shell, a rank, all of a host. Then
mpiexec must have ended in time with a status that is not 0, and with a sentence where it was not killed itself; that of a
killed rank names rank and signal. No note on ranks that wait may have been said, and nothing may be left on any host.

usage: storm.py [--times 10] [--seed N]
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from hosts_support import MPIEXEC, PROBE, Hosts, rank_of, skip_without_root

from test_hosts import processes

END_LIMIT_S = 20


class Trial:
    def __init__(self, hosts, dice):
        self.hosts = hosts
        self.victim_host = dice.choice(hosts.names)
        self.whole_host = dice.random() < 0.15
        self.choice = dice.random()
        self.after_start = dice.random() < 0.5  # not before the ranks have come out of MPI_Init
        self.moment_s = dice.choice((0, 0.05, 0.1, 0.2, 0.4)) + dice.random() * 0.2
        self.signal = dice.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV))
        self.mode = dice.choice((("exchange", "0"), ("wait", "600")))
        self.victim = "nobody"
        self.words = []  # of what mpiexec must say

    def __str__(self):
        who = "the ranks" if self.after_start else "mpiexec"
        return f"{' '.join(self.mode)}: {self.signal.name} to {self.victim} {self.moment_s:.3f} s after {who} began"

    def run(self):
        """What is wrong afterwards; each a sentence."""
        with tempfile.TemporaryFile("w+") as errors:
            enter = self.hosts.start("h1", MPIEXEC, "--rsh-agent", self.hosts.agent, "-n", "4", "--host", "h1:2,h2:2", PROBE,
                                     *self.mode, stdout=subprocess.DEVNULL, stderr=errors)
            self.wait_for_the_moment()
            self.strike(enter)
            if self.victim == "nobody":
                yield "the job has ended by itself"
            try:
                enter.wait(END_LIMIT_S)
            except subprocess.TimeoutExpired:
                yield f"mpiexec has not ended within {END_LIMIT_S} s"
            if left := self.hosts.left(END_LIMIT_S):
                yield f"processes are left: {left}"
            for host in self.hosts.names:
                self.hosts.kill_all(host)
            if enter.wait() == 0:
                yield "mpiexec ended with status 0"
            errors.seek(0)
            lines = list(errors)
        notes = [line for line in lines if line.startswith("starling: note: ")]
        said = "".join(line for line in lines if line not in notes)
        if of_waits := [line for line in notes if ": interface " not in line]:
            yield f"notes on a job that was killed: {of_waits}"
        if missing := [word for word in self.words if word not in said]:
            yield f"mpiexec does not say {missing}: {said[-2000:]!r}"

    def wait_for_the_moment(self):
        deadline = time.monotonic() + END_LIMIT_S
        while self.after_start and not any(map(rank_of, self.hosts.processes("h2"))) and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(self.moment_s)

    def of_the_job(self):
        """The processes of the host but the shell that runs the agent: nobody waits for it."""
        return [process for process in sorted(self.hosts.processes(self.victim_host))
                if not processes.command_line(process).startswith(("sh -c", "nsenter"))]

    def strike(self, enter):
        """A process of the host by chance, so that each kind has its turn, or all of them; with nobody there one of h1."""
        deadline = time.monotonic() + 5
        while not (found := self.of_the_job()) and time.monotonic() < deadline:
            time.sleep(0.001)
        if self.whole_host and found:
            self.victim = f"all of {self.victim_host}"
            self.words = [] if self.victim_host == "h1" else ["starling: ", "h2"]
            self.hosts.kill_all(self.victim_host)
            return
        found = found or self.hosts.processes("h1")
        if not found:
            return
        process = found[int(self.choice * len(found))]
        self.victim = f"{self.victim_host}: {processes.command_line(process)[:100]}"
        rank = rank_of(process)
        if self.signal == signal.SIGKILL and process not in processes.children_of(enter.pid):
            self.words = ["starling: "] if rank is None else ["starling: ", f"rank {rank} ", "SIGKILL"]
        try:
            os.kill(process, self.signal)
        except ProcessLookupError:
            pass
        if self.signal != signal.SIGKILL:  # a launcher may take it for the start of a polite end
            time.sleep(0.2)
            self.hosts.signal_all("h1", signal.SIGTERM)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    skip_without_root()
    print(f"seed {arguments.seed}", flush=True)
    dice = random.Random(arguments.seed)
    problems = []
    with Hosts() as hosts, tempfile.TemporaryDirectory() as temporary:
        os.environ["TMPDIR"] = temporary
        for number in range(arguments.times):
            trial = Trial(hosts, dice)
            found = [f"trial {number}, {trial}: {problem}" for problem in trial.run()]
            problems += found
            print("\n".join(found or [f"{number}: {trial}"]), flush=True)
        files = [name for host in hosts.names for name in hosts.run(host, "ls", "-A", "/dev/shm").stdout.split()]
        files += os.listdir(temporary)
        if files:
            problems.append(f"files are left: {files}")
    print(f"{arguments.times} jobs, {len(problems)} problems, seed {arguments.seed}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
