# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Start a case of the suite: its ranks on this machine, or dealt in turns to several test hosts (scripts/test_hosts)."""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from test_hosts import Hosts, HostsRefused  # noqa: E402

DAY_S = 86400


class OnThisMachine:
    def __init__(self, mpiexec, environment, longest_s):
        self.mpiexec = str(mpiexec)
        self.environment = environment
        self.longest_s = longest_s  # no case gets more time

    def not_applicable(self, case):
        """Why the case is not run here; empty where it is."""
        return ""

    def options(self, case):
        return []

    def start(self, command, **streams):
        return subprocess.run(command, **streams)

    def run(self, case, options, folder, limit_s):
        """What the ranks and mpiexec have said, and the exit status."""
        command = [self.mpiexec, "--timeout", str(limit_s), *options, *self.options(case), "-n", str(case.ranks),
                   f"./{case.program}", *case.arguments]
        try:
            result = self.start(command, cwd=folder, env={**self.environment, **dict(case.settings)}, text=True,
                                errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, timeout=limit_s + 60)
            return result.stdout, result.returncode
        except subprocess.TimeoutExpired as late:
            return f"mpiexec itself did not end: {late}", -1


class OverHosts(OnThisMachine):
    """Neighbours in MPI_COMM_WORLD are never on one host, so a case of two ranks or more crosses the network."""

    def __init__(self, mpiexec, environment, longest_s, count):
        # Other cases may keep the cores busy: how soon an agent answers is not what the suite is about.
        super().__init__(mpiexec, {**environment, "STARLING_LAUNCH_DEADLINE_MS": "60000"}, longest_s)
        try:
            self.hosts = Hosts(count, limit_s=DAY_S)
        except HostsRefused as refusal:
            sys.exit(f"mpich_suite: {refusal}.")

    def not_applicable(self, case):
        return "has one rank" if case.ranks == 1 else ""

    def options(self, case):
        slots = -(-case.ranks // len(self.hosts.names))
        return ["--rsh-agent", self.hosts.agent, "--host", ",".join(f"{host}:{slots}" for host in self.hosts.names),
                "--map-by", "node"]

    def start(self, command, **streams):
        return subprocess.run(self.hosts.enter(self.hosts.names[0], *command, folder=streams["cwd"]), **streams)

    def run(self, case, options, folder, limit_s):
        text, status = super().run(case, options, folder, limit_s)
        left = self.hosts.left()
        for host in self.hosts.names if left else []:
            self.hosts.kill_all(host)
        return (f"processes are left: {left}\n{text}", -1) if left else (text, status)


def launcher(build, environment, hosts, longest_s):
    """Where cases run: over so many hosts, or with 0 on this machine."""
    mpiexec = build / "bin" / "mpiexec"
    return OverHosts(mpiexec, environment, longest_s, hosts) if hosts else OnThisMachine(mpiexec, environment, longest_s)
