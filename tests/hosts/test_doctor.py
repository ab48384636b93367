# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling doctor --host: what it finds between hosts that are well, and between hosts that are not."""
import os
import re
import signal
import subprocess
import sys
import time

from hosts_support import BIN, Firewalls, HostsTest, Job, main

STARLING = os.path.join(BIN, "starling")


class DoctorTest(HostsTest):
    def doctor(self, *arguments, hosts="h1,h2", **environment):
        enter = self.hosts.start("h1", STARLING, "doctor", "--rsh-agent", self.hosts.agent, "--host", hosts, *arguments,
                                 env={**os.environ, **environment})
        out, err = enter.communicate(timeout=60)
        self.assertEqual(self.hosts.left(), [], "processes of the check are left")
        return enter.returncode, out, err


class Well(DoctorTest):
    wishes = {"count": 3}

    def test_shells_and_connections_both_ways_between_each_two_are_tried(self):
        code, out, err = self.doctor(hosts="h1,h2,h3")
        self.assertEqual((code, err), (0, ""), out)
        self.assertRegex(out, r"(?m)^ok +host h1 +is this machine")
        self.assertRegex(out, r"(?m)^ok +host h2 .*answered in [\d.]+ s, with the same Starling")
        for one, other in (("h1", "h2"), ("h1", "h3"), ("h2", "h3")):
            self.assertRegex(out, rf"(?m)^ok +{one} calls {other} +over \S+ \(eth0, MTU 1500\) to \S+: .*64 KiB in .*1 MiB in")
            self.assertRegex(out, rf"(?m)^ok +{other} calls {one} +over \S+ \(eth0")

    def test_a_range_of_ports_that_is_too_narrow_for_the_slots_is_found(self):
        code, out, err = self.doctor(hosts="h1:1,h2:2", STARLING_NET_PORTS="42000-42000")
        self.assertEqual((code, err), (1, ""), out)
        self.assertRegex(out, r"(?m)^FAIL host h2 +has 2 slots, and each rank there needs a port of its own: 42000-42000 "
                              r"\(STARLING_NET_PORTS\) has 1\. Name a wider range\.$")
        self.assertEqual(out.count("FAIL"), 1, out)
        code, out, err = self.doctor(hosts="h1:1,h2:2", STARLING_NET_PORTS="42000-42001")
        self.assertEqual((code, err), (0, ""), out)

    def test_hosts_that_are_this_machine_need_nothing(self):
        code, out, _ = self.doctor(hosts="h1,localhost")
        self.assertEqual(code, 0)
        self.assertIn("this machine", out)

    def test_a_host_without_an_agent_is_named_with_what_to_try(self):
        code, out, err = self.doctor(hosts="h1,h9", STARLING_LAUNCH_DEADLINE_MS="3000")
        self.assertEqual(code, 1)
        self.assertIn("could not resolve host name h9", err)
        self.assertRegex(out, r"(?m)^FAIL host h9 +no agent answered within [\d.]+ s\. Try '\S+ h9 \S+starling agent'")

    def test_wrong_hosts_are_wrong_usage(self):
        code, _, err = self.doctor(hosts="h1:x")
        self.assertEqual(code, 2)
        self.assertIn("'x' is no number of slots", err)
        code, _, err = self.doctor(STARLING_NET_PORTS="42000")
        self.assertEqual(code, 2)
        self.assertIn("STARLING_NET_PORTS=42000 is not understood", err)


class OfAJob(HostsTest):
    """starling doctor JOB, where mpiexec runs."""

    def test_a_late_rank_of_another_host_is_found(self):
        job = Job(self.hosts, "-n", "2", "--host", "h1:1,h2:1", os.path.join(BIN, "observe_load"), "late")
        try:
            said = self.report_with(r"note late rank .*rank 1 is the one that others wait for")
            self.assertRegex(said, r"(?m)^job \d+, 2 ranks, watched for \d\.\d s: .*observe_load late$")
            self.assertRegex(said, r"note late rank .*rank 1 is the one that others wait for, in \d+ of \d+ looks")
            self.assertNotIn("does not answer", said)
        finally:
            os.kill(job.mpiexec, signal.SIGTERM)
            job.finish()

    def report_with(self, pattern):
        """The ranks have to come there first."""
        deadline = time.monotonic() + 60
        said = ""
        while time.monotonic() < deadline and not re.search(pattern, said):
            if listed := re.search(r"(?m)^ *(\d+) +2 ", self.hosts.run("h1", STARLING, "ps").stdout):
                done = self.hosts.run("h1", STARLING, "doctor", "--seconds", "1.5", listed[1])
                said = done.stdout + done.stderr
        return said


class UnlikeMtu(DoctorTest):
    """The hosts send packets of 9000 bytes, and the switch between them drops all above 1500."""
    wishes = {"mtu": 9000, "switch_mtu": 1500}

    def test_long_messages_that_stall_are_laid_to_the_mtu(self):
        code, out, _ = self.doctor()
        self.assertEqual(code, 1)
        self.assertNotIn("one way", out)
        self.assertRegex(out, r"(?m)^FAIL h1 calls h2 +short messages pass, but a message of 64 KiB did not arrive within 10 s: look at the MTU of \S+ \(eth0, MTU 9000\)")


class BehindFirewalls(Firewalls, DoctorTest):
    HOLDER = """
import socket
held = [socket.create_server(("", 42000)), socket.create_server(("::", 42000), family=socket.AF_INET6)]
print("held", flush=True)
input()
"""

    def findings(self):
        code, out, err = self.doctor(STARLING_NET_PORTS=self.PORTS)
        self.assertEqual((code, err), (1, ""), out)
        return out

    def assert_one_way(self, out, open_way, closed_way, reason):
        self.assertRegex(out, rf"(?m)^ok +{open_way} +over \S+ \(eth0")
        self.assertRegex(out, rf"(?m)^FAIL {closed_way} +{reason}.*firewall.*STARLING_NET_PORTS")
        self.assertRegex(out, r"(?m)^note one way +connections are let through in one direction only")

    def test_a_firewall_that_refuses_calls_one_way_is_found(self):
        self.let_no_call_out("h1")
        self.assert_one_way(self.findings(), "h2 calls h1", "h1 calls h2",
                            r"rank 0 cannot connect to rank 1 on h2 \(10.77.0.2:42000: Permission denied")

    def test_a_firewall_that_drops_calls_one_way_is_found(self):
        self.let_no_call_in("h1")
        self.assert_one_way(self.findings(), "h1 calls h2", "h2 calls h1",
                            "a message of 8 B did not arrive within 10 s. No connection was made")

    def test_ports_that_are_closed_both_ways_are_found(self):
        for host in self.hosts.names:
            self.let_no_call_out(host)
        out = self.findings()
        for way in ("h1 calls h2", "h2 calls h1"):
            self.assertRegex(out, rf"(?m)^FAIL {way} +rank [01] cannot connect to rank [01] on .*STARLING_NET_PORTS")
        self.assertNotIn("one way", out)

    def test_ports_that_are_all_in_use_are_named(self):
        holder = self.hosts.start("h2", sys.executable, "-c", self.HOLDER, stdin=subprocess.PIPE)
        self.assertEqual(holder.stdout.readline(), "held\n")
        enter = self.hosts.start("h1", STARLING, "doctor", "--rsh-agent", self.hosts.agent, "--host", "h1,h2",
                                 env={**os.environ, "STARLING_NET_PORTS": "42000-42000"})
        out, _ = enter.communicate(timeout=60)
        holder.communicate("\n")
        self.assertEqual(enter.returncode, 1)
        self.assertRegex(out, r"(?m)^FAIL h1 calls h2 +host h2: .*42000.*STARLING_NET_PORTS")
        self.assertEqual(self.hosts.left(), [])


if __name__ == "__main__":
    main()
