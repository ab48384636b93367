#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that are stopped, continued and showered with signals are slow, not dead.

  false_alarms.py --bin build/release/bin --seconds 3600

No call of any rank may fail, and nobody may be reported dead. Stops last up to two seconds; the launcher is stopped as well.
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

STORM = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGWINCH, signal.SIGCHLD)


def descendants(pid):
    try:
        children = [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                    for child in (task / "children").read_text().split()]
    except OSError:
        return []
    return children + [below for child in children for below in descendants(child)]


def find_ranks(launcher, program, count, limit_s=60):
    for _ in range(limit_s * 20):
        found = [pid for pid in descendants(launcher.pid) if is_rank(pid, program)]
        if len(found) == count or launcher.poll() is not None:
            return found
        time.sleep(0.05)
    return []


def is_rank(pid, program):
    try:
        # Handlers are there once SIGUSR1 is caught; before that it would end the process.
        caught = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("SigCgt"))
        return os.readlink(f"/proc/{pid}/exe") == program and int(caught.split()[1], 16) >> (signal.SIGUSR1 - 1) & 1
    except (OSError, StopIteration):
        return False


def send(process, what):
    """process: a pidfd, so that nobody else is met when the process has ended."""
    try:
        signal.pidfd_send_signal(process, what)
    except ProcessLookupError:
        pass


class Weather:
    """What is done to the ranks until stop(); `counts` says how often."""

    def __init__(self, launcher, ranks, seed):
        self.launcher, self.ranks = os.pidfd_open(launcher), [os.pidfd_open(pid) for pid in ranks]
        self.chance = random.Random(seed)
        self.counts = {"signals": 0, "stops": 0, "stops of all": 0, "stops of the launcher": 0}
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        kinds = {self.storm: 10, self.stop_some: 10, self.stop_all: 2, self.stop_launcher: 2}
        to_do = list(kinds)  # each once, even in a short run
        while not self.over.is_set():
            (to_do.pop() if to_do else self.chance.choices(list(kinds), kinds.values())[0])()
            self.over.wait(self.chance.uniform(0, 0.5))

    def storm(self):
        end = time.monotonic() + self.chance.uniform(0.05, 0.5)
        while time.monotonic() < end:
            for _ in range(50):
                send(self.chance.choice(self.ranks), self.chance.choice(STORM))
                self.counts["signals"] += 1
            time.sleep(0.002)

    def hold(self, processes, seconds):
        for process in processes:
            send(process, signal.SIGSTOP)
        self.over.wait(seconds)
        for process in processes:
            send(process, signal.SIGCONT)

    def stop_some(self):
        self.counts["stops"] += 1
        self.hold(self.chance.sample(self.ranks, self.chance.randint(1, 4)), self.chance.choice((0.001, 0.02, 0.2, 2.0)))

    def stop_all(self):
        self.counts["stops of all"] += 1
        self.hold(self.ranks, self.chance.uniform(0.01, 1.0))

    def stop_launcher(self):
        self.counts["stops of the launcher"] += 1
        self.hold([self.launcher], self.chance.uniform(0.01, 1.0))


def main():
    parser = argparse.ArgumentParser(description="Disturbs the ranks of a job in which nobody dies.")
    parser.add_argument("--bin", required=True, help="the folder of mpiexec and resilience_false_alarms")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--pause-ms", type=int, default=20, help="of each rank between its rounds of calls")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    program = os.path.realpath(os.path.join(arguments.bin, "resilience_false_alarms"))
    begin = time.monotonic()
    launcher = subprocess.Popen([os.path.join(arguments.bin, "mpiexec"), "--survive", "-n", str(arguments.ranks), program,
                                 str(arguments.seconds), str(arguments.pause_ms)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    ranks = find_ranks(launcher, program, arguments.ranks)
    weather = Weather(launcher.pid, ranks, arguments.seed)
    if ranks:
        weather.thread.start()
    try:
        output, errors = launcher.communicate(timeout=arguments.seconds + 60)
    except subprocess.TimeoutExpired:
        launcher.kill()
        output, errors = launcher.communicate()
        errors += "not over 60 s after its time\n"
    finally:
        weather.over.set()
        if ranks:
            weather.thread.join()
    calm = launcher.returncode == 0 and not errors and len(ranks) == arguments.ranks
    done = ", ".join(f"{count} {what}" for what, count in weather.counts.items())
    print(f"{'no false alarm' if calm else 'WRONG'}: {arguments.ranks} ranks for {time.monotonic() - begin:.0f} s, {output.strip()}; "
          f"{done}; seed {arguments.seed}")
    if not calm:
        print(f"status {launcher.returncode}, {len(ranks)} ranks found: {errors[-3000:]}")
    return 0 if calm else 1


if __name__ == "__main__":
    sys.exit(main())
