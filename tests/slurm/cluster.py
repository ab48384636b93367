# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the login host of scripts/slurm-two-nodes sees of the nodes: their processes, files and traffic."""
import os
import time

SHARED = (os.environ.get("SLURM_TWO_NODES", ""), os.path.abspath(__file__))


def first_line(path):
    try:
        with open(path, "rb") as file:
            return file.readline().decode(errors="replace")
    except OSError:
        return ""


class Node:
    """A node of the cluster. Its processes are those of its pid namespace, so none can hide."""

    def __init__(self, name, namespace, first_process):
        self.name = name
        self.namespace = namespace
        self.root = f"/proc/{first_process}/root"
        self.network = f"/proc/{first_process}/net/dev"

    def processes(self, program=None):
        """Ids and commands of all that slurmd has started here, or of a program's only."""
        found = {}
        for number in filter(str.isdigit, os.listdir("/proc")):
            if namespace_of(number) != self.namespace:
                continue
            command = first_line(f"/proc/{number}/cmdline").replace("\0", " ").strip()
            name = first_line(f"/proc/{number}/comm").strip()
            own = f"--node {self.name} " in command or name == "slurmd"
            if (name == program) if program else not own:
                found[int(number)] = command or f"[{name}]"
        return found

    def files(self):
        """What lies in the node's /dev/shm and /tmp, without the shared folders that come back there."""
        return [f"{place}/{name}" for place in ("/dev/shm", "/tmp") for name in os.listdir(self.root + place)
                if not any(f"{folder}/".startswith(f"{place}/{name}/") for folder in SHARED)]

    def sent_bytes(self):
        with open(self.network, encoding="ascii") as file:
            card = next(line for line in file if line.strip().startswith("eth0:"))
        return int(card.split(":")[1].split()[8])


def namespace_of(number):
    try:
        return os.readlink(f"/proc/{number}/ns/pid")
    except OSError:
        return None


def find_nodes():
    """The nodes, by the slurmd of each."""
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        words = first_line(f"/proc/{number}/cmdline").split("\0")
        if words[0].endswith("slurmd") and "-N" in words:
            found.append(Node(words[words.index("-N") + 1], namespace_of(number), number))
    return sorted(found, key=lambda node: node.name)


def left_behind(nodes, limit_s):
    """What jobs have left on the nodes when the time is over, as sentences; Slurm's own helpers need a moment to go."""
    deadline = time.monotonic() + limit_s
    while True:
        left = [f"{node.name}: process {number}: {command}"
                for node in nodes for number, command in node.processes().items()]
        left += [f"{node.name}: {path}" for node in nodes for path in node.files()]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)
