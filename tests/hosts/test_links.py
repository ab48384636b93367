# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Several links between two hosts: long messages take them all, and a link that ends hands its share to the others."""
import re
import time

from hosts_support import BIN, PROBE, HostsTest, Job, main

MB = 1000 * 1000
PAIR = ("-n", "2", "--host", "h1:1,h2:1")
STRIPES = {"STARLING_NET_STRIPE_FROM": "262144"}
OF_ONE_LINK = 125  # MB/s, with all headers


def speed_of(job):
    return float(re.search(r"^streamed ([\d.]+) MB/s$", job.out, re.MULTILINE)[1])


class TwoLinks(HostsTest):
    wishes = {"networks": 2}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for host in cls.hosts.names:
            for card in ("eth0", "eth1"):
                done = cls.hosts.run(host, "tc", "qdisc", "add", "dev", card, "root", "tbf", "rate", "1gbit", "burst", "256kb",
                                     "latency", "50ms")
                if done.returncode != 0:
                    raise AssertionError(f"the kernel shapes no traffic (tbf): {done.stderr}")

    def stream(self, environment):
        return self.succeeds(*PAIR, PROBE, "stream", "1", environment=environment)

    def test_both_carry_long_messages(self):
        """Well above what one carries."""
        before = {card: self.hosts.bytes_sent("h1", card) for card in ("eth0", "eth1")}
        speeds = []
        while len(speeds) < 5 and max(speeds, default=0) < 1.4 * OF_ONE_LINK:
            job = self.stream(STRIPES)
            self.assertEqual(job.err, "")
            speeds.append(speed_of(job))
        self.assertGreaterEqual(max(speeds), 1.4 * OF_ONE_LINK, f"of {speeds} MB/s")
        for card, sent in before.items():
            self.assertGreater(self.hosts.bytes_sent("h1", card) - sent, 30 * MB, card)

    def test_one_carries_all_unless_the_user_says_so(self):
        before = {card: self.hosts.bytes_sent("h1", card) for card in ("eth0", "eth1")}
        self.assertLess(speed_of(self.stream({})), OF_ONE_LINK)
        sent = sorted(self.hosts.bytes_sent("h1", card) - sent for card, sent in before.items())
        self.assertLess(sent[0], 100_000)
        self.assertGreater(sent[1], 30 * MB)

    def test_what_is_below_the_size_takes_one(self):
        before = {card: self.hosts.bytes_sent("h1", card) for card in ("eth0", "eth1")}
        self.succeeds(*PAIR, PROBE, "exchange", "0.5", environment={"STARLING_NET_STRIPE_FROM": "262145"})
        self.assertLess(min(self.hosts.bytes_sent("h1", card) - sent for card, sent in before.items()), 100_000)

    def test_a_link_that_ends_or_flaps_loses_nothing_and_is_named(self):
        for break_link, words in ((self.hosts.cut, "eth1"), (self.hosts.mute, "no answer for")):
            with self.subTest(words):
                job = Job(self.hosts, *PAIR, PROBE, "stream", "5", environment=STRIPES)
                job.wait_until_ready()
                time.sleep(0.5)
                # The first card that answers carries the job; the other may end.
                sent = {card: self.hosts.bytes_sent("h1", card) for card in ("eth0", "eth1")}
                self.assertGreater(min(sent.values()), 0)
                break_link("h2", "eth1")
                try:
                    time.sleep(2.5)
                finally:
                    self.hosts.mend("h2", "eth1")
                job.finish(60)
                self.assertEqual(job.code, 0, job.err)
                self.assertGreater(speed_of(job), 20)
                self.assertIn("rank 0 has lost its link over eth1 (10.78.0.1 to 10.78.0.2) to rank 1 on h2", job.err)
                self.assertIn("its messages took the other links", job.err)

    def explain(self, *addresses):
        setting = [f"{name}={value}" for name, value in STRIPES.items()]
        return self.hosts.run("h1", "env", *setting, f"{BIN}/starling", "explain", "net", *addresses)

    def test_the_links_to_a_host_are_listed(self):
        done = self.explain("10.77.0.2", "10.78.0.2", "fd78::2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("to these addresses: 10.77.0.1 (eth0) first, as it is the best; eth1 (10.78.0.1 to 10.78.0.2)\n", done.stdout)
        self.assertIn("to these addresses: one, for no network has both hosts", self.explain("10.99.0.2").stdout)
        done = self.explain("h2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'h2' is no address", done.stderr)


if __name__ == "__main__":
    main()
