#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""How busy a farm keeps threads that are behind a slow link; needs root.

usage: bench/farm/slow_link.py [--build build/release] [--ways 0,1,10,50] [--tasks 1,10,100] [--threads 8] [--seconds 4]

Two hosts are made of namespaces (scripts/hosts), and joined by a link of its own whose packets this program holds for so many
milliseconds each way. The root is on one and does not calculate; the threads are on the other, and their tasks sleep, so that
the machine's own cores do not matter. Prints the share of the time that the threads are busy, the start included, beside
the share with a fixed window of two tasks for each thread, 2 t / (t + way there and back), as the source proposes first.
"""
import argparse
import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from test_hosts import Hosts  # noqa: E402 pylint: disable=wrong-import-position

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
MTU = 9000


def enter_network(place):
    """Of this thread; place: a descriptor of the namespace."""
    if ctypes.CDLL(None, use_errno=True).setns(place, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class SlowLink:
    """The card slow0 of each host; a packet leaves it on the other host so many seconds later."""

    def __init__(self, hosts):
        self.way_s = 0
        self.ends = [self.open_end(hosts.first_processes[name], number + 1) for number, name in enumerate(hosts.names)]
        self.stop = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    @staticmethod
    def open_end(process, number):
        own, there = (os.open(f"/proc/{name}/ns/net", os.O_RDONLY) for name in ("self", process))
        enter_network(there)
        try:
            end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH", b"slow0", IFF_TUN | IFF_NO_PI))
            for words in (f"addr add 10.77.0.{number}/24 dev slow0", f"link set slow0 mtu {MTU} txqueuelen 10000 up"):
                subprocess.run(["ip", *words.split()], check=True)
            return end
        finally:
            enter_network(own)
            os.close(own)
            os.close(there)

    def run(self):
        waiting = collections.deque()  # the way is the same for all, so they leave in their order
        while not self.stop:
            timeout = max(0, waiting[0][0] - time.monotonic()) if waiting else 0.1
            for end in select.select(self.ends, [], [], timeout)[0]:
                try:
                    waiting.append((time.monotonic() + self.way_s, self.ends[1 - self.ends.index(end)], os.read(end, MTU + 100)))
                except BlockingIOError:
                    pass
            while waiting and waiting[0][0] <= time.monotonic():
                _, end, packet = waiting.popleft()
                os.write(end, packet)

    def close(self):
        self.stop = True
        self.thread.join()
        for end in self.ends:
            os.close(end)


def tasks_in_s(options, hosts, tree, count, task_us):
    command = hosts.enter("h1", str(options.build / "bin/mpiexec"), "-q", "-n", "2", "--rsh-agent", hosts.agent, "--host", "h1:1,h2:1",
                          str(options.build / "bench/farm/many_starling"), str(count), str(task_us), "--farm-tree", tree, "--farm-summary=off")
    said = subprocess.run(command, env={**os.environ, "STARLING_NET_INTERFACES": "slow0"}, capture_output=True, text=True, check=False,
                          timeout=60 + 10 * options.seconds)
    if said.returncode != 0:
        sys.exit(said.stderr)
    return float(said.stdout.split()[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=SOURCE / "build/release")
    parser.add_argument("--ways", default="0,1,10,50", help="milliseconds each way")
    parser.add_argument("--tasks", default="1,10,100", help="milliseconds of a task")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4, help="of each run, were there no link")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Hosts(2) as hosts:
        link = SlowLink(hosts)
        tree = os.path.join(folder, "tree.toml")
        with open(tree, "w", encoding="utf-8") as file:
            file.write(f'root = "here"\n[nodes.here]\nhost = "h1"\nthreads = 0\nchildren = ["far"]\n[nodes.far]\nthreads = {options.threads}\n')
        try:
            print("way, ms  task, ms    busy  two tasks a thread", flush=True)
            for way in map(float, options.ways.split(",")):
                link.way_s = way * 1e-3
                for task in map(float, options.tasks.split(",")):
                    count = int(options.threads * options.seconds * 1e3 / task)
                    rate = tasks_in_s(options, hosts, tree, count, int(task * 1e3))
                    fixed = min(1, 2 * task / (task + 2 * way))
                    print(f"{way:7g} {task:9g} {rate * task * 1e-3 / options.threads:7.2f} {fixed:19.2f}", flush=True)
        finally:
            link.close()


if __name__ == "__main__":
    main()
