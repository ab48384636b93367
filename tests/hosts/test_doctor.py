# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling doctor --host: what it finds between hosts that are well, and between hosts that are not."""
import os

from hosts_support import BIN, HostsTest, main

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


class UnlikeMtu(DoctorTest):
    """The hosts send packets of 9000 bytes, and the switch between them drops all above 1500."""
    wishes = {"mtu": 9000, "switch_mtu": 1500}

    def test_long_messages_that_stall_are_laid_to_the_mtu(self):
        code, out, _ = self.doctor()
        self.assertEqual(code, 1)
        self.assertRegex(out, r"(?m)^FAIL h1 calls h2 +short messages pass, but a message of 64 KiB did not arrive within 10 s: look at the MTU of \S+ \(eth0, MTU 9000\)")


if __name__ == "__main__":
    main()
