#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The process that keeps test hosts: `keeper.py FOLDER PLAN`, started by `Hosts` in network and mount namespaces of its
own. Its network namespace is the switch: a bridge for each network, with a port for each host. It prints the first
process of each host as JSON when all hosts are there, and serves FOLDER/rsh until its standard input ends.

Whoever kills it ends all hosts: the first process of each has it as its parent and asked for a death signal; with the
first process of a process namespace all others die, and with the last process of a network namespace its cards. Nothing
has a name outside these namespaces, so nothing can be left, and two runs cannot meet.
"""
import json
import os
import socket
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from test_hosts import network, remote_shell  # noqa: E402
from test_hosts.plan import Plan  # noqa: E402
from test_hosts.processes import children_of, die_with_parent  # noqa: E402

# The first process of a host. It ignores SIGCHLD, so the kernel takes orphans that end. cgroups stay visible below the
# new /sys, for limits of processor time are read there.
FIRST_PROCESS = """
set -e
mount -t proc proc /proc
mount --rbind /sys/fs/cgroup "$4"
mount -t sysfs sysfs /sys
mount --rbind "$4" /sys/fs/cgroup
umount -l "$4"
mount -t tmpfs -o mode=1777 shm /dev/shm
mount --bind "$1" /etc/hosts
hostname "$2"
ip link set lo up
echo ready
exec env --ignore-signal=CHLD sleep "$3"
"""


class Host:
    def __init__(self, plan, name, folder):
        hosts_file = os.path.join(folder, f"{name}.hosts")
        with open(hosts_file, "w", encoding="utf-8") as file:
            file.write(plan.hosts_file(name))
        self.unshare = subprocess.Popen(
            ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", FIRST_PROCESS,
             "host", hosts_file, plan.hostname(name), str(plan.limit_s), os.path.join(folder, "cgroup")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, preexec_fn=die_with_parent)
        if self.unshare.stdout.readline() != "ready\n":
            raise RuntimeError(f"host {name} was not made")
        self.first_process = children_of(self.unshare.pid)[0]


def keep(folder, plan):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(os.path.join(folder, "socket"))
    listener.listen(64)
    os.mkdir(os.path.join(folder, "cgroup"))
    hosts = {name: Host(plan, name, folder) for name in plan.names}
    first_processes = {name: host.first_process for name, host in hosts.items()}
    network.connect(plan, first_processes)
    print(json.dumps(first_processes), flush=True)
    threading.Thread(target=remote_shell.serve, args=(listener, first_processes), daemon=True).start()
    sys.stdin.read()
    for host in hosts.values():
        host.unshare.kill()
    for host in hosts.values():
        host.unshare.wait()
    os._exit(0)  # without waiting for what is on its way between hosts that are gone


if __name__ == "__main__":
    try:
        keep(sys.argv[1], Plan.from_json(sys.argv[2]))
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
