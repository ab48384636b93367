# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the tests over several hosts share: hosts for a class of tests, and jobs of mpiexec over them.

Without root a test says that it is skipped. As root it fails where the machine makes no hosts.
"""
import os
import re
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from test_hosts import Hosts, processes  # noqa: E402

# Taken out, for the programs that are started here read every STARLING_ variable.
BIN = os.environ.pop("STARLING_BIN", "") or os.path.join(ROOT, "build/release/bin")
SANITIZED = bool(os.environ.pop("STARLING_SANITIZE", ""))
MPIEXEC = os.path.join(BIN, "mpiexec")
PROBE = os.path.join(BIN, "hosts_probe")
SIZES = (8, 1000, 20000, 256 << 10)  # of the messages that the probe exchanges
SKIPPED = 77  # CTest's word for it


def skip_without_root():
    if os.geteuid() != 0:
        print("skipped: only root can make the hosts that this test needs")
        sys.exit(SKIPPED)


class OtherJob:
    """A running launcher on a host."""

    def __init__(self, hosts, *command, on="h1", environment=None, stdin=subprocess.DEVNULL):
        self.hosts = hosts
        self.command = command
        self.sent_before = self.sent()
        self.enter = hosts.start(on, *self.command, env={**os.environ, **(environment or {})}, stdin=stdin)
        self.said = ""

    @property
    def mpiexec(self):
        """Its id, as seen from here."""
        return processes.children_of(self.enter.pid)[0]

    def wait_until_ready(self):
        """Until the probe has said that its ranks are connected."""
        while line := self.enter.stdout.readline():
            self.said += line
            if line == "ready\n":
                return
        self.finish()
        raise AssertionError(f"the job ended before its ranks were connected: {self.code}\n{self.out}\n{self.err}")

    def finish(self, limit_s=60):
        """Takes its output and status. A job that does not end is a failure."""
        try:
            out, self.err = self.enter.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            for host in self.hosts.names:
                self.hosts.kill_all(host)
            out, self.err = self.enter.communicate()
            raise AssertionError(f"no end within {limit_s} s: {' '.join(self.command)}\n{out}\n{self.err}") from None
        self.out, self.code = self.said + out, self.enter.returncode
        if self.code == 0:
            self.check_payload()
        return self

    def sent(self):
        """What has left each of the first two hosts so far, by all of its cards."""
        cards = [f"eth{number}" for number in range(self.hosts.plan.networks)]
        return [sum(self.hosts.bytes_sent(host, card) for card in cards) for host in self.hosts.names[:2]]

    def check_payload(self):
        """A probe that has exchanged messages with the ranks of another host must have used a card for them."""
        if exchanged := re.search(r"^exchanged (\d+) rounds$", self.out, re.MULTILINE):
            payload = [sum(SIZES[number % len(SIZES)] for number in range(int(exchanged[1])))] * 2
        elif passed := re.findall(r"^(\d+) bytes passed$", self.out, re.MULTILINE):
            payload = [sum(map(int, passed)), 0]
        else:
            return
        sent = [now - before for now, before in zip(self.sent(), self.sent_before)]
        if any(each <= least for each, least in zip(sent, payload)):
            raise AssertionError(f"{sent} bytes have left the hosts, and the payload is {payload}: {' '.join(self.command)}")

    def ranks(self):
        """Process ids by rank, as seen from here, of all hosts."""
        found = {}
        for host in self.hosts.names:
            for process in self.hosts.processes(host):
                if (rank := rank_of(process)) is not None:
                    found[rank] = process
        return found


class Job(OtherJob):
    """A running mpiexec of ours, with the hosts' remote shell unless the arguments name one."""

    def __init__(self, hosts, *arguments, **options):
        agent = () if "--rsh-agent" in arguments else ("--rsh-agent", hosts.agent)
        super().__init__(hosts, MPIEXEC, *agent, *arguments, **options)


def rank_of(process):
    """The rank of a process, if it is a probe that has come out of MPI_Init."""
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8") as file:
            name = file.read().strip()
    except OSError:
        return None
    return int(name.removeprefix("probe-")) if name.startswith("probe-") else None


class HostsTest(unittest.TestCase):
    """Its hosts live as long as the class."""
    maxDiff = None
    wishes = {}  # fields of test_hosts.Plan
    two_each = ("-n", "4", "--host", "h1:2,h2:2")

    @classmethod
    def setUpClass(cls):
        cls.hosts = Hosts(**cls.wishes)
        cls.addClassCleanup(cls.hosts.close)

    def run_job(self, *arguments, limit_s=60, **options):
        job = Job(self.hosts, *arguments, **options).finish(limit_s)
        self.assertEqual(self.hosts.left(), [], "processes of the job are left")
        return job

    def succeeds(self, *arguments, **options):
        job = self.run_job(*arguments, **options)
        self.assertEqual(job.code, 0, f"{' '.join(job.command)}\n{job.out}\n{job.err}")
        return job

    def crossed(self, card="eth0"):
        """What has left every host through a card so far; the least of them."""
        return min(self.hosts.bytes_sent(host, card) for host in self.hosts.names[:2])


class Firewalls:
    """For tests of hosts: rules for packets stand in for firewalls. The ranks listen on the ports that the rules name."""
    PORTS = "42000-42009"
    RULE = f"pref 50 ipproto tcp dport {PORTS}"

    def ip(self, host, *commands):
        for command in commands:
            for family in ("-4", "-6"):
                done = self.hosts.run(host, "ip", family, *command.split())
                self.assertEqual(done.returncode, 0, done.stderr)

    def let_no_call_out(self, host):
        """It is refused at once."""
        self.ip(host, f"rule add {self.RULE} prohibit")
        self.addCleanup(self.ip, host, f"rule del {self.RULE} prohibit")

    def let_no_call_in(self, host):
        """It is lost, and nobody is told. What is for the host itself is looked up first otherwise."""
        self.ip(host, "rule add pref 100 lookup local", "rule del pref 0", f"rule add {self.RULE} iif eth0 blackhole")
        self.addCleanup(self.ip, host, f"rule del {self.RULE} iif eth0 blackhole", "rule add pref 0 lookup local",
                        "rule del pref 100")


def best_time(attempts, limit_s, attempt):
    """The shortest of some times; no more attempts once one is within the limit. Other work on the machine makes an
    attempt longer, never shorter."""
    times = []
    while len(times) < attempts and (not times or min(times) > limit_s):
        times.append(attempt())
    print(f"times, limit {limit_s} s: " + ", ".join(f"{each:.3f}" for each in times), file=sys.stderr)
    return min(times)


class Stopwatch:
    def __init__(self):
        self.start = time.monotonic()

    @property
    def seconds(self):
        return time.monotonic() - self.start


def main():
    skip_without_root()
    unittest.main(warnings="ignore")  # of streams that are not closed: these are short processes
