# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a chapter of tests/mpi as processes over hosts, and sees in the cards' counters that its messages crossed the link.

usage: chapter.py CHAPTER [--hosts h1:2,h2:2] [--in-turns] [--one-thread] [--except CASE] [OPTION OF MPIEXEC]...
"""
import argparse
import os
import re
import sys

from hosts_support import BIN, Hosts, Job, skip_without_root

BYTES_FOR_A_CASE = 40  # The runner adds up the failures of each case with messages; a packet's headers alone have more.
# The hosts share the cores of the machine. Ranks that wait would spin or yield for a while and keep a core from those of the
# other host. Where cores are few they sleep soon.
FEW_CORES = len(os.sched_getaffinity(0)) < 8
SLEEP_SOON = ["-genv", "STARLING_WAIT_SPIN_US", "0", "-genv", "STARLING_WAIT_SLEEP_AFTER_US", "100"] if FEW_CORES else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chapter")
    parser.add_argument("--hosts", default="h1:2,h2:2")
    parser.add_argument("--in-turns", action="store_true", help="deal the ranks to the hosts one by one")
    parser.add_argument("--one-thread", action="store_true", help="ask MPI for one thread")
    parser.add_argument("--except", dest="left_out", metavar="CASE", help="leave out the cases with this in their title")
    parser.add_argument("--limit", type=int, default=240, metavar="S")
    arguments, options = parser.parse_known_args()
    skip_without_root()
    places = {host: int(slots) for host, slots in (place.split(":") for place in arguments.hosts.split(","))}
    nodes = [node for node, slots in enumerate(places.values()) for _ in range(slots)]
    if arguments.in_turns:
        nodes = [node for turn in range(max(places.values())) for node, slots in enumerate(places.values()) if turn < slots]
        options += ["--map-by", "node"]
    with Hosts(len(places)) as hosts:
        before = {host: hosts.bytes_sent(host) for host in hosts.names}
        job = Job(hosts, "-n", str(len(nodes)), "--host", arguments.hosts, *SLEEP_SOON, *options,
                  os.path.join(BIN, f"mpi_{arguments.chapter}"), "--ranks-on", ",".join(map(str, nodes)),
                  *["--one-thread"][:arguments.one_thread],
                  *(["--except", arguments.left_out] if arguments.left_out else [])).finish(arguments.limit)
        sent = {host: hosts.bytes_sent(host) - before[host] for host in hosts.names}
        left = hosts.left()
    print(job.out, job.err, sep="\n")
    print(f"sent by eth0 of each host: {sent}")
    passed = re.search(r"^(\d+) passed, 0 failed", job.out, re.MULTILINE)
    if job.code != 0 or not passed or int(passed[1]) == 0:
        return f"the chapter failed: {' '.join(job.command)} ended with {job.code}"
    if min(sent.values()) < BYTES_FOR_A_CASE * int(passed[1]):
        return f"{passed[1]} cases cannot have crossed the link with so few bytes"
    return f"processes are left: {left}" if left else None


if __name__ == "__main__":
    sys.exit(main())
