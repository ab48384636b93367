# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Networks as they are found: IPv6 alone, docker's twins, two hosts of one name, unlike MTUs, several cards."""
import subprocess
import sys

from hosts_support import PROBE, Firewalls, HostsTest, Job, Stopwatch, main

EXCHANGED = r"exchanged \d+ rounds"


class OnlyIpv6(HostsTest):
    wishes = {"families": (6,)}

    def test_a_network_with_ipv6_alone_carries_a_job(self):
        job = self.succeeds(*self.two_each, PROBE, "exchange", "1")
        self.assertRegex(job.out, EXCHANGED)


class OnlyIpv4(HostsTest):
    wishes = {"families": (4,)}

    def test_a_network_with_ipv4_alone_carries_a_job(self):
        job = self.succeeds(*self.two_each, PROBE, "exchange", "1")
        self.assertRegex(job.out, EXCHANGED)


class Twins(HostsTest):
    wishes = {"twins": True, "hostnames": {"h1": "node", "h2": "node"}}

    def test_an_address_that_both_hosts_have_is_not_used(self):
        """Neither host finds the other where docker0 is: each would find itself there."""
        watch = Stopwatch()
        job = self.succeeds(*self.two_each, PROBE, "exchange", "1")
        self.assertRegex(job.out, EXCHANGED)
        self.assertLess(watch.seconds, 20)

    def test_two_hosts_of_one_name_are_two_nodes(self):
        job = self.succeeds(*self.two_each, PROBE, "where")
        self.assertEqual(sorted(job.out.splitlines()), [f"rank {rank} of 4 on node" for rank in range(4)])
        job = self.succeeds(*self.two_each, PROBE, "exchange", "0.5")
        self.assertRegex(job.out, EXCHANGED)


class UnlikeMtu(HostsTest):
    """The hosts send packets of 9000 bytes, and the switch between them drops all above 1500."""
    wishes = {"mtu": 9000, "switch_mtu": 1500}

    def test_long_packets_that_vanish_end_the_job_with_a_sentence(self):
        job = Job(self.hosts, "-n", "2", "--host", "h1:1,h2:1", PROBE, "long",
                  environment={"STARLING_NET_DEAD_AFTER_MS": "2000"}).finish(40)
        self.assertIn("8 bytes passed", job.out)
        self.assertNotIn("4194304 bytes passed", job.out, "this network lets long packets pass")
        self.assertNotEqual(job.code, 0)
        self.assertIn("MTU", job.err)
        self.assertEqual(self.hosts.left(), [])


class TwoCards(HostsTest):
    wishes = {"networks": 2}

    def test_a_card_may_be_chosen(self):
        for card, other in (("eth0", "eth1"), ("eth1", "eth0")):
            before = {each: self.crossed(each) for each in (card, other)}
            job = self.succeeds(*self.two_each, PROBE, "exchange", "0.5", environment={"STARLING_NET_INTERFACES": card})
            self.assertRegex(job.out, EXCHANGED)
            self.assertGreater(self.crossed(card) - before[card], 1 << 20)
            self.assertLess(self.crossed(other) - before[other], 4000)

    def test_a_first_card_without_a_cable_does_not_matter(self):
        self.hosts.cut("h2", "eth0")
        try:
            before = self.crossed("eth1")
            watch = Stopwatch()
            job = self.succeeds(*self.two_each, PROBE, "exchange", "0.5")
            self.assertGreater(self.crossed("eth1") - before, 1 << 20)
            self.assertRegex(job.out, EXCHANGED)
            self.assertLess(watch.seconds, 20)
        finally:
            self.hosts.mend("h2", "eth0")

    def test_without_any_way_between_the_hosts_the_job_says_so(self):
        for card in ("eth0", "eth1"):
            self.hosts.mute("h2", card)
        try:
            watch = Stopwatch()
            job = self.run_job(*self.two_each, PROBE, "exchange", "0.5", limit_s=60)
            self.assertNotEqual(job.code, 0)
            for words in ("h1", "h2", "10.77.0."):
                self.assertIn(words, job.err)
            self.assertLess(watch.seconds, 40)
        finally:
            for card in ("eth0", "eth1"):
                self.hosts.mend("h2", card)


class OneWay(Firewalls, HostsTest):
    """Firewalls that let calls through in one direction only."""

    def exchange(self, count, **environment):
        job = self.succeeds("-n", count, "--map-by", "node", "--host", "h1:2,h2:2", PROBE, "exchange", "0.1",
                            environment={"STARLING_NET_PORTS": self.PORTS, **environment})
        self.assertRegex(job.out, EXCHANGED)
        self.assertEqual(job.err, "")

    def test_two_ranks_are_connected_by_the_call_that_is_not_dropped(self):
        for host in self.hosts.names:
            with self.subTest(closed=host):
                self.let_no_call_in(host)
                self.exchange("2")
                self.doCleanups()

    def test_two_ranks_are_connected_by_the_call_that_is_not_refused(self):
        for host in self.hosts.names:
            with self.subTest(closed=host):
                self.let_no_call_out(host)
                self.exchange("2")
                self.doCleanups()

    def test_all_ranks_can_be_connected_at_the_start(self):
        for host in self.hosts.names:
            with self.subTest(closed=host):
                self.let_no_call_in(host)
                self.exchange("4", STARLING_NET_CONNECT="full")
                self.doCleanups()


class Ports(HostsTest):
    HOLDER = """
import socket
held = [socket.create_server((host, port), family=family) for port in (42000, 42001)
        for host, family in (("", socket.AF_INET), ("::", socket.AF_INET6))]
print("held", flush=True)
input()
"""

    def test_a_range_of_ports_that_is_too_small_is_said(self):
        holder = self.hosts.start("h2", sys.executable, "-c", self.HOLDER, stdin=subprocess.PIPE)
        self.assertEqual(holder.stdout.readline(), "held\n")
        watch = Stopwatch()
        job = Job(self.hosts, *self.two_each, PROBE, "where", environment={"STARLING_NET_PORTS": "42000-42001"}).finish(30)
        self.assertLess(watch.seconds, 10)
        holder.communicate("\n")
        self.assertEqual(job.code, 1)
        self.assertRegex(job.err, "starling: host h2: .*42000.*STARLING_NET_PORTS")
        self.assertEqual(self.hosts.left(), [])


if __name__ == "__main__":
    main()
