# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over two or three hosts of which 1 to all but one of the ranks are killed at random moments of random calls, by themselves
(tests/resilience/storm.cpp) and with their whole host, which is killed, or whose link is cut or loses every packet.

usage: survive_storm.py [--times 10] [--seed N] [--links]

Every survivor must end with status 0 in bounded time, and mpiexec with it; no note on ranks that wait may have been said, and
nothing may be left on any host. The seed that is printed repeats the choices of a job, not its timing.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

from hosts_support import BIN, MPIEXEC, Hosts, skip_without_root

LIMIT_S = 100  # a call to a host that does not answer is given up after half a minute
DEAD_AFTER_MS = 2000
STORM = os.path.join(BIN, "resilience_storm")


def is_rank(process):
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8") as file:
            return file.read().startswith("resilience_st")
    except OSError:
        return False


class Trial:
    def __init__(self, names, seed, links):
        dice = random.Random(seed)
        self.seed = seed
        self.names = names[:dice.choice((2, 3, 3))]
        self.slots = [dice.randint(1, 4) for _ in self.names]
        self.ranks = sum(self.slots)
        firsts = [sum(self.slots[:number]) for number in range(len(self.slots))]
        self.firsts = ",".join(f"{name}:{first}" for name, first in zip(self.names, firsts))
        self.when = dice.choice(("inside", "inside", "inside", "init", "finalize"))
        self.flags = dice.choice("01")
        self.span_us = dice.choice((2_000, 20_000, 100_000, 400_000))
        self.lost, self.how, self.moment_s = None, "", 0
        lost_ranks = range(0)
        if dice.random() < 0.4:
            number = dice.randrange(1, len(self.names))  # mpiexec is on the first
            self.lost, lost_ranks = self.names[number], range(firsts[number], firsts[number] + self.slots[number])
            self.how = dice.choice(("kill", "cut", "mute")) if links else "kill"
            self.moment_s = dice.random() * dice.choice((0.1, 0.3, 0.8))
            self.when = "inside"
        self.lost_ranks = f"{lost_ranks.start}-{lost_ranks.stop - 1}" if self.lost else ""
        self.victims = dice.randint(0 if self.lost else 1, self.ranks - 1 - len(lost_ranks))

    def __str__(self):
        lost = f", {self.how} {self.lost} after {self.moment_s:.3f} s" if self.lost else ""
        return (f"seed {self.seed}: {self.firsts} {self.ranks} ranks, {self.victims} victims within {self.span_us} us, "
                f"{self.when}, flags {self.flags}{lost}")

    def start(self, hosts, errors):
        settings = {"STORM_RANKS": str(self.ranks), "STORM_HOSTS": self.firsts, "STORM_LOST": self.lost_ranks,
                    "STARLING_REVOKE_FLAGS": self.flags, "STARLING_NET_DEAD_AFTER_MS": str(DEAD_AFTER_MS)}
        if self.how in ("cut", "mute"):  # of two hosts that do not reach each other either may be given up
            settings["STORM_MORE"] = "1"
        where = ",".join(f"{name}:{slots}" for name, slots in zip(self.names, self.slots))
        return hosts.start("h1", MPIEXEC, "--survive", "--rsh-agent", hosts.agent, "-n", str(self.ranks), "--host", where, STORM,
                           str(self.seed), str(self.victims), str(self.span_us), self.when, stdout=subprocess.DEVNULL,
                           stderr=errors, env={**os.environ, **settings})

    def strike(self, job, hosts):
        deadline = time.monotonic() + LIMIT_S / 2
        # Before the ranks run a lost host ends the job. Some of them may be dead already.
        while not any(map(is_rank, hosts.processes(self.lost))):
            if time.monotonic() > deadline or job.poll() is not None:
                break
            time.sleep(0.002)
        time.sleep(self.moment_s)
        {"kill": hosts.kill_all, "cut": hosts.cut, "mute": hosts.mute}[self.how](self.lost)

    def run(self, hosts):
        """What is wrong afterwards; each a sentence."""
        with tempfile.TemporaryFile("w+") as errors:
            job = self.start(hosts, errors)
            if self.lost:
                self.strike(job, hosts)
            try:
                job.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                yield f"not over after {LIMIT_S} s"
            if self.lost and self.how != "kill":
                time.sleep(0.2)
                hosts.mend(self.lost)
            if left := hosts.left(3 * DEAD_AFTER_MS / 1000 + 10):
                yield f"processes are left: {left}"
            for host in hosts.names:
                hosts.kill_all(host)
            code = job.wait()
            errors.seek(0)
            said = errors.read()
        if code != 0:
            yield f"status {code}: {said[-3000:]}"
        if notes := [line for line in said.splitlines() if line.startswith("starling: note")]:
            yield f"notes on a job that gets on: {notes}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first job; the others follow")
    parser.add_argument("--links", action="store_true", help="cut links as well, which takes seconds")
    arguments = parser.parse_args()
    skip_without_root()
    problems, longest = 0, 0.0
    with Hosts(3) as hosts:
        for seed in range(arguments.seed, arguments.seed + arguments.times):
            trial = Trial(hosts.names, seed, arguments.links)
            begin = time.monotonic()
            found = list(trial.run(hosts))
            took = time.monotonic() - begin
            longest = max(longest, took)
            problems += bool(found)
            print("\n".join(f"{trial}, {took:.1f} s: {problem}" for problem in found) if found else f"{trial}: {took:.2f} s", flush=True)
    print(f"{arguments.times} jobs from seed {arguments.seed} on, {problems} problems, the longest took {longest:.1f} s")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
