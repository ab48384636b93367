# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries under comparison: how each one compiles, launches and names its version."""
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

COMPILE_FLAGS = ["-std=gnu11", "-O2", "-pthread"]
SOURCES = {
    "latency": ["mpi/latency.c", "mpi/pair.c"],
    "bandwidth": ["mpi/bandwidth.c", "mpi/pair.c", "mpi/window.c"],
    "bidirectional": ["mpi/bidirectional.c", "mpi/pair.c", "mpi/window.c"],
    "exchange": ["mpi/exchange.c", "mpi/pair.c"],
    "message_rate": ["mpi/message_rate.c", "mpi/pair.c", "mpi/window.c"],
    "pair_among_idle": ["mpi/pair_among_idle.c", "mpi/pair.c"],
    "polling": ["mpi/polling.c"],
    "idle_cpu": ["mpi/idle_cpu.c"],
    "one_sided": ["mpi/one_sided.c", "mpi/pair.c"],
    "threads": ["mpi/threads.c", "mpi/pair.c"],
    "empty": ["mpi/empty.c"],
    "memory": ["mpi/memory.c"],
    "guidelines": ["collective/guidelines.c"],
    "collective": ["collective/collective.c", "collective/operations.c"],
}
FIFO = ("chrt", "-f", "10")
COMMON_SOURCES = ["common/bench.c", "common/options.c"]


@dataclass(frozen=True)
class Library:
    key: str
    title: str
    compiler: str
    launcher: str
    flags: tuple = ()              # always
    spread_flags: tuple = ()       # when every rank has a core of its own
    oversubscribed_flags: tuple = ()      # when there are more ranks than cores
    version_command: tuple = ()    # when the launcher does not tell; a subject, for a number does not survive a rebase

    @property
    def version(self):
        return list(self.version_command or (self.launcher, "--version"))

    def launch(self, ranks, workbench):
        spread = ranks <= workbench.cores
        placement = self.spread_flags if spread else self.oversubscribed_flags
        # Oversubscribed ranks stay with the fair scheduler: under FIFO a peer that spins would never let the others run.
        priority = FIFO if workbench.fifo and spread else ()
        return [*priority, self.launcher, *self.flags, *placement, "-n", str(ranks)]


@dataclass
class Workbench:
    """What is built where, and on how many cores it runs."""
    root: str
    cores: int
    control: str
    libraries: list
    fifo: bool = False             # ranks with a core each run under SCHED_FIFO, undisturbed by other work
    versions: dict = field(default_factory=dict)
    socket: str = ""               # the control over hosts
    hosts: object = None           # test_hosts.Hosts, when a group runs over hosts

    def program(self, library, name):
        return os.path.join(self.root, "build", "compare", library.key, name)


def known_libraries(root, starling_build):
    bin_folder = os.path.join(root, starling_build, "bin")
    return [
        Library("starling", "Starling", os.path.join(bin_folder, "mpicc"), os.path.join(bin_folder, "mpiexec"),
                version_command=("git", "-C", root, "log", "-1", "--format=%cs, after the commit '%s'")),
        Library("openmpi", "Open MPI", "mpicc.openmpi", "mpiexec.openmpi", ("--allow-run-as-root", "--oversubscribe"),
                ("--bind-to", "core"), ("--bind-to", "none", "--mca", "mpi_yield_when_idle", "1")),
        Library("mpich", "MPICH", "mpicc.mpich", "mpiexec.mpich", (), ("-bind-to", "core"), ()),
    ]


def compile_with(compiler, sources, output, root):
    os.makedirs(os.path.dirname(output), exist_ok=True)
    bench = os.path.join(root, "bench")
    command = [compiler, *COMPILE_FLAGS, "-I", os.path.join(bench, "common"),
               *[os.path.join(bench, s) for s in sources], "-o", output]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"compare: a benchmark does not compile:\n{' '.join(command)}\n{result.stderr}")


def first_line(command):
    try:
        out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    lines = [" ".join(line.split()) for line in (out.stdout + out.stderr).splitlines() if line.strip()]
    versions = [line for line in lines if "ersion" in line or any(c.isdigit() for c in line)]
    return (versions or lines or ["unknown"])[0]


def prepare(root, starling_build, programs, fifo=False):
    """Builds the control, and the named benchmarks with every library that is there."""
    control = os.path.join(root, "build", "compare", "cacheline")
    compile_with("cc", ["micro/cacheline.c"], control, root)
    workbench = Workbench(root, len(os.sched_getaffinity(0)), control, [], fifo)
    workbench.socket = os.path.join(root, "build", "compare", "socket")
    compile_with("cc", ["micro/socket.c"], workbench.socket, root)
    for library in known_libraries(root, starling_build):
        if shutil.which(library.compiler) is None or shutil.which(library.launcher) is None:
            print(f"compare: {library.title} is not there ({library.compiler}, {library.launcher}); it is left out.",
                  file=sys.stderr)
            continue
        for name in sorted(programs):
            compile_with(library.compiler, SOURCES[name] + COMMON_SOURCES, workbench.program(library, name), root)
        workbench.libraries.append(library)
        workbench.versions[library.key] = first_line(library.version)
    workbench.versions["compiler"] = first_line(["cc", "--version"])
    if not workbench.libraries:
        sys.exit("compare: no MPI library found; build Starling, or install libopenmpi-dev, openmpi-bin, libmpich-dev "
                 "and mpich.")
    return workbench
