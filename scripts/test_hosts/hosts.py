# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts: several hosts on this machine, h1 to hN, for as long as the object is open.

Each has network, uts, ipc, mount and process namespaces of its own, its own /proc, /sys, /dev/shm and /etc/hosts, and
a card in each network. Folders are shared, as over a network file system. Only root can make them. Methods may be
called from one thread.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from . import network, processes
from .plan import HostsRefused, Plan

FOLDER_PREFIX = "test-hosts-"
START_LIMIT_S = 60
HERE = os.path.dirname(os.path.abspath(__file__))


def refuse_without_means():
    if os.geteuid() != 0:
        raise HostsRefused("only root can make hosts (network and process namespaces). Run this as root, or with sudo")
    for program, package in (("ip", "iproute2"), ("unshare", "util-linux"), ("nsenter", "util-linux")):
        if shutil.which(program) is None:
            raise HostsRefused(f"there is no program '{program}' on this machine. Install {package}")
    tried = subprocess.run(["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "true"],
                           capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise HostsRefused("this machine refuses new namespaces, even to root: CAP_SYS_ADMIN is missing, as in most "
                           f"containers ({tried.stderr.strip()}). Use the machine itself, or a privileged container")


def remove_stale_folders():
    """Those of runs that were killed: they hold nothing but a few small files."""
    for name in os.listdir(tempfile.gettempdir()):
        folder = os.path.join(tempfile.gettempdir(), name)
        if name.startswith(FOLDER_PREFIX) and not os.path.exists(f"/proc/{name.split('-')[2]}"):
            shutil.rmtree(folder, ignore_errors=True)


class Hosts:
    def __init__(self, count=2, **wishes):
        """wishes: the fields of Plan."""
        self.plan = Plan(count, **wishes)
        refuse_without_means()
        remove_stale_folders()
        self.folder = tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{os.getpid()}-")
        self._make_agent()
        self._keeper = subprocess.Popen(
            ["unshare", "--net", "--mount", sys.executable, os.path.join(HERE, "keeper.py"), self.folder,
             self.plan.to_json()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=processes.die_with_parent)
        line = self._keeper.stdout.readline()
        if not line:
            _, reason = self._keeper.communicate()
            self.close()
            raise HostsRefused(f"the hosts could not be made: {reason.strip()}")
        self.first_processes = json.loads(line)
        with open(os.path.join(self.folder, "keeper"), "w", encoding="utf-8") as file:
            json.dump({"keeper": self._keeper.pid, "hosts": self.first_processes}, file)

    def _make_agent(self):
        with open(os.path.join(self.folder, "names"), "w", encoding="utf-8") as file:
            file.write("\n".join(self.plan.names))
        self.agent = os.path.join(self.folder, "rsh")
        with open(self.agent, "w", encoding="utf-8") as file:
            command = os.path.join(os.path.dirname(HERE), "hosts")
            file.write(f'#!/bin/sh\nTEST_HOSTS={self.folder} exec {sys.executable} -IS {command} rsh "$@"\n')
        os.chmod(self.agent, 0o755)

    @property
    def names(self):
        return self.plan.names

    def enter(self, host, *command, folder=None):
        """The words that run a command on a host, in this folder."""
        return processes.enter(self.first_processes[host], command, folder or os.getcwd())

    def start(self, host, *command, **options):
        """A process on the host; its streams are pipes of text unless options of Popen say otherwise."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        return subprocess.Popen(self.enter(host, *command, folder=options.get("cwd")), **options)

    def run(self, host, *command, limit_s=60, **options):
        """Runs a command to its end."""
        process = self.start(host, *command, **options)
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            self.kill_all(host)
            out, err = process.communicate()
            raise AssertionError(f"{' '.join(command)} did not end within {limit_s} s\n{out}\n{err}") from None
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    # The network.

    def bytes_sent(self, host, card="eth0"):
        return network.bytes_of(self.first_processes[host], card)[1]

    def cut(self, host, card="eth0"):
        """Pulls the plug: the card loses its carrier."""
        self._change("cut", host, card)

    def mend(self, host, card="eth0"):
        """Undoes cut and mute, and forgets which neighbours have not answered meanwhile: the system would refuse them a
        connection that begins within a second ("no route to host")."""
        self._change("mend", host, card)
        network.wait_until_up(card, self.first_processes[host])
        for process in self.first_processes.values():
            network.ip([f"neigh flush dev {card}"], process)

    def mute(self, host, card="eth0"):
        """Loses every packet; the card sees nothing of it."""
        self._change("mute", host, card)

    def _change(self, verb, host, card):
        network.ip([network.line(verb, host, card)], self._keeper.pid)

    def take_down(self, host, card="eth0"):
        """Switches the card off on the host itself; its routes go."""
        network.ip([f"link set {card} down"], self.first_processes[host])

    # Processes.

    def processes(self, host):
        """The ids, as seen from here, of all that run on the host but its first process."""
        return processes.inside(self.first_processes[host])

    def signal_all(self, host, number):
        for process in self.processes(host):
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill_all(self, host):
        """Kills all that run on the host at once; its first process goes on."""
        subprocess.run(self.enter(host, "kill", "-KILL", "-1", folder="/"), capture_output=True, check=False)

    def left(self, limit_s=10):
        """What still runs on any host after at most so many seconds: host and command line of each."""
        deadline = time.monotonic() + limit_s
        while True:
            found = [f"{host}: {processes.command_line(process)}" for host in self.names for process in self.processes(host)]
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.02)

    # The end.

    def close(self):
        if self._keeper.poll() is None:
            self._keeper.stdin.close()
            try:
                self._keeper.wait(10)
            except subprocess.TimeoutExpired:
                self._keeper.send_signal(signal.SIGKILL)
                self._keeper.wait()
        for stream in (self._keeper.stdin, self._keeper.stdout, self._keeper.stderr):
            stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
