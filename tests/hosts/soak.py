# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Soaks of tests/stress over two hosts, one after the other, each of another seed and placement: every byte and every order
is checked, the cards' counters must show that the messages crossed the link, and nothing may be left on any host.

usage: soak.py [--seconds 10] [--seed N] [--messages 10000]
"""
import argparse
import random
import re
import sys
import time

from hosts_support import BIN, Hosts, Job, skip_without_root

PLACEMENTS = (("-n", "4", "--host", "h1:2,h2:2"), ("-n", "4", "--host", "h1:2,h2:2", "--map-by", "node"),
              ("-n", "2", "--host", "h1:1,h2:1"), ("-n", "7", "--host", "h1:2,h2:5"))
SHARE_THAT_CROSSES = 0.1  # of the payload, from each host; a quarter is usual, for senders and receivers are drawn by chance
JOB_LIMIT_S = 120


def problems_of(hosts, options, sent):
    """What is wrong with a soak; each a sentence."""
    try:
        job = Job(hosts, *options).finish(JOB_LIMIT_S)
    except AssertionError as late:
        yield str(late)
        return
    print(job.out.strip(), flush=True)
    payload = re.search(r"messages, ([\d.]+) MB .* 0 errors", job.out)
    if job.code != 0 or not payload:
        yield f"it ended with {job.code}\n{job.out}\n{job.err}"
    elif min(sent()) < SHARE_THAT_CROSSES * float(payload[1]) * 1e6:
        yield f"so few bytes left the hosts: {sent()}"
    if "starling: note" in job.err:
        yield f"a note on a job that goes on:\n{job.err}"
    if left := hosts.left():
        yield f"processes are left: {left}"


def soak(hosts, dice, messages):
    """One job; its problems, with the command that repeats it."""
    options = (*dice.choice(PLACEMENTS), f"{BIN}/stress_soak", "--messages", str(messages), "--seed", str(dice.randrange(1 << 30)))
    before = {host: hosts.bytes_sent(host) for host in hosts.names}
    found = problems_of(hosts, options, lambda: [hosts.bytes_sent(host) - before[host] for host in hosts.names])
    return [f"mpiexec {' '.join(options)}: {problem}" for problem in found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--messages", type=int, default=10000, help="of each job")
    arguments = parser.parse_args()
    skip_without_root()
    print(f"seed {arguments.seed}", flush=True)
    dice = random.Random(arguments.seed)
    problems, jobs, end = [], 0, time.monotonic() + arguments.seconds
    with Hosts() as hosts:
        while jobs == 0 or time.monotonic() < end:
            found = soak(hosts, dice, arguments.messages)
            problems += found
            jobs += 1
            if found:
                print("\n".join(found), flush=True)
    print(f"{jobs} jobs, {len(problems)} problems, seed {arguments.seed}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
