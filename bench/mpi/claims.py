#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the source of the shared-memory transport claims of its mechanisms, each switched on and off: docs/reference/claims.md.

usage: bench/mpi/claims.py [--build build/release] [--rounds 5] [--only WORD]

Both settings of a claim run in turns; a figure is the median over the rounds. Prints a table for each claim. Source: Sun HPC
ClusterTools, "Sun MPI Implementation", Performance Considerations, Progress Engine.
"""
import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
BUFFERS = {"SHM_SINGLE_COPY": "0", "EAGER_LIMIT": "1g"}

# (claim, ranks, program and its options, figures (none: all), {name: settings}), the first settings are those of the claim.
CLAIMS = [
    ("One pool of buffers for all connections of a sender holds more for a burst to one of them than as much memory in equal parts", 4,
     ["burst", "--sizes=8192", "--repetitions=21"], ["late"],
     {"one pool of 192 KiB": {**BUFFERS, "SHM_SEND_POOL": "196608"}, "three of 64 KiB": {**BUFFERS, "SHM_CONNECTION_POOL": "65536"}}),
    ("Threads of a sender contend for one pool", 2, ["threads", "--sizes=8,8192", "--budget=0.1"], ["threads_latency", "threads_exchange"],
     {"one pool": {**BUFFERS, "SHM_SEND_POOL": "131072"}, "a pool for each connection": BUFFERS}),
    ("Rendezvous slows short messages", 2, ["latency", "--sizes=8,1024,8192", "--budget=0.1"], ["latency"],
     {"rendezvous": {"EAGER_LIMIT": "0"}, "eager": {}}),
    ("Rendezvous makes a sender stall if its receiver is not ready", 2, ["burst", "--sizes=1024,8192", "--repetitions=21"], ["late"],
     {"rendezvous": {"EAGER_LIMIT": "0"}, "eager": {}}),
    ("Rendezvous helps long messages that are received in another order than they are sent", 2,
     ["burst", "--sizes=65536,262144", "--repetitions=21"], ["reverse"],
     {"rendezvous": {"SHM_SINGLE_COPY": "0", "EAGER_LIMIT": "0"}, "eager": BUFFERS}),
    ("Rendezvous helps where the pool has too little room for long messages", 2, ["bandwidth", "--sizes=65536,1048576", "--budget=0.2"],
     ["bandwidth"], {"rendezvous": {"EAGER_LIMIT": "0", "SHM_CONNECTION_POOL": "65536"},
                     "eager": {**BUFFERS, "SHM_CONNECTION_POOL": "65536"}}),
    ("Pipelining doubles the bandwidth of a message", 2, ["latency", "--sizes=32768,65536,131072", "--budget=0.1"], ["latency"],
     {"in fragments of 8 KiB": {**BUFFERS, "SHM_CONNECTION_POOL": "524288"},
      "in one piece": {**BUFFERS, "SHM_CONNECTION_POOL": "524288", "SHM_FRAGMENT": "131072"}}),
    ("Cyclic messages take little memory, and slow a stream", 2, ["bandwidth", "--sizes=262144,1048576", "--budget=0.2"], ["bandwidth"],
     {"cyclic": {**BUFFERS, "CYCLIC_ABOVE": "65536"}, "not": BUFFERS}),
    ("Processes of a group that wake each other run together", 8, ["exchange", "--sizes=8,1024", "--budget=0.2"], [],
     {"woken as a group": {"WAIT_COSCHEDULE": "1"}, "each by who needs it": {}}),
    ("Processes of a group that sleep soon and wake each other run together", 8, ["exchange", "--sizes=8", "--budget=0.2"], [],
     {"woken as a group": {"WAIT_COSCHEDULE": "1", "WAIT": "sleep"}, "each by who needs it": {"WAIT": "sleep"}}),
    ("Messages move while others are sent", 2, ["overlap", "--repetitions=11"],
     ["receive_none_wait", "receive_sends_wait", "receive_none_peer", "receive_sends_peer", "allreduce_none_wait", "allreduce_sends_wait"],
     {"as by default": {}, "with a progress thread": {"PROGRESS_THREAD": "1"}}),
]


def figures_of(options, ranks, words, names, settings):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STARLING_")}
    environment.update({f"STARLING_{name}": value for name, value in settings.items()})
    command = [options.build / "bin/mpiexec", "-q", "-n", str(ranks), options.build / "bench/mpi" / words[0], *words[1:]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{words[0]} with {settings}: {done.stderr}")
    found = {}
    for line in done.stdout.splitlines():
        fields = line.split("\t")
        if len(fields) >= 4 and (not names or fields[0] in names):
            found[fields[0], int(fields[1]), fields[3]] = float(fields[2])
    return found


def show(options, claim, ranks, words, names, ways):
    found = {}
    for _ in range(options.rounds):
        for way, settings in ways.items():
            for figure, value in figures_of(options, ranks, words, names, settings).items():
                found.setdefault(figure, {}).setdefault(way, []).append(value)
    print(f"**{claim}**: `{' '.join(words)}`, {ranks} ranks.\n")
    print("| figure | bytes | unit | " + " | ".join(ways) + " | ratio |\n|---|---|---|" + "---|" * (len(ways) + 1))
    for (name, size, unit), values in found.items():
        medians = [statistics.median(values[way]) for way in ways]
        cells = " | ".join(f"{median:.4g}" for median in medians)
        print(f"| {name} | {size} | {unit} | {cells} | {medians[0] / medians[1]:.2f} |" if medians[1] else
              f"| {name} | {size} | {unit} | {cells} | |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="claims with this word")
    options = parser.parse_args()
    for claim in CLAIMS:
        if options.only.lower() in claim[0].lower():
            show(options, *claim)


if __name__ == "__main__":
    main()
