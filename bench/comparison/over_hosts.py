# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs over several hosts, which scripts/test_hosts makes of namespaces on a bridge: how each library is started there, and the
control, plain sockets on the same path."""
import os
import subprocess
import sys

from comparison.report import SOCKET_SIZES

PORT = "5000"
OWN_CORE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "on_own_core")
# Not SCHED_FIFO: UCX connects by a thread of its own, which a rank that spins on the same core would never let run.
REAL_TIME = ("chrt", "-r", "10")

# Each library finds the other hosts by a remote shell that needs no network, and uses eth0. names: of the hosts.
STARTS = {
    "starling": lambda agent, names, each: ["--rsh-agent", agent, "--host", slots(names, each)],
    "openmpi": lambda agent, names, each: ["--allow-run-as-root", "--mca", "plm_rsh_agent", agent, "--host", slots(names, each),
                                    "--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl",
                                    "tcp,self,vader", "--mca", "btl_tcp_if_include", "eth0"],
    # UCX takes hosts with one kernel for one host, and shared memory between them does not work; within a host MPICH has its own.
    "mpich": lambda agent, names, each: ["-launcher", "rsh", "-launcher-exec", agent, "-hosts", ",".join(names), "-ppn", str(each), "-env",
                                  "UCX_NET_DEVICES", "eth0", "-env", "UCX_TLS", "tcp,self"],
}
# Over hosts a peer does not find out that its ranks share cores; without this they never give way.
YIELDING = {"openmpi": ["--mca", "mpi_yield_when_idle", "1"]}


def slots(names, each):
    return ",".join(f"{name}:{each}" for name in names)


def make_hosts(root, count):
    """None, and a word about it, where this machine makes none."""
    sys.path.insert(0, os.path.join(root, "scripts"))
    from test_hosts import Hosts, HostsRefused  # pylint: disable=import-outside-toplevel
    try:
        return Hosts(count)
    except HostsRefused as refusal:
        print(f"compare: the groups over hosts are left out: {refusal}.", file=sys.stderr)
        return None


def command(library, group, workbench):
    """What runs a group on h1."""
    hosts = workbench.hosts
    spread = group.ranks <= workbench.cores
    flags = STARTS[library.key](hosts.agent, hosts.names[:group.hosts], group.ranks // group.hosts)
    flags += YIELDING.get(library.key, []) if group.yielding else []
    # The program and not the launcher, for ranks on the other host are not below it.
    words = placed(workbench) if spread else ()
    return hosts.enter("h1", library.launcher, *flags, "-n", str(group.ranks), *words, workbench.program(library, group.program),
                       *group.arguments)


def placed(workbench):
    """What starts a program that has a core to itself."""
    return (OWN_CORE, *(REAL_TIME if workbench.fifo else ()))


def clear(hosts):
    """Ends all that runs there."""
    for host in hosts.names:
        hosts.kill_all(host)


def bytes_sent(hosts):
    """What has left each host so far."""
    return [hosts.bytes_sent(host) for host in hosts.names]


def measure_sockets(workbench):
    """The lines of bench/micro/socket between the hosts; empty when it fails."""
    hosts = workbench.hosts
    program = [*placed(workbench), workbench.socket]
    answering = hosts.start("h2", *program, PORT)
    try:
        return hosts.run("h1", *program, hosts.plan.addresses("h2")[0], PORT, *map(str, SOCKET_SIZES), limit_s=60).stdout
    except AssertionError as error:
        print(f"compare: the plain sockets: {error}", file=sys.stderr)
        return ""
    finally:
        try:
            answering.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            clear(hosts)
            answering.communicate()
