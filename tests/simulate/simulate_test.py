# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling simulate: times that follow from the links, settings that have their effect, wrong words.

usage: simulate_test.py STARLING [--thousand]
"""
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

STARLING = sys.argv.pop(1)
THOUSAND = "--thousand" in sys.argv
if THOUSAND:
    sys.argv.remove("--thousand")
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="n" suffix="" radical="0-7" speed="10Gf" bw="1.25GBps" lat="5us"/>
</platform>
"""
ALL = "barrier,bcast,reduce,allreduce,gather,scatter,allgather,alltoall,reduce_scatter_block,scan"


def simulate(*words):
    return subprocess.run([STARLING, "simulate", *map(str, words)], capture_output=True, text=True, check=False, timeout=600)


def rows(*words):
    """(microseconds, packets) by operation and size."""
    done = simulate(*words)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    found = {}
    for line in done.stdout.splitlines():
        fields = line.split()
        if not line.startswith("#"):
            found[fields[0], int(fields[1])] = (float(fields[2]), int(fields[3]))
    return found


# As if nothing could be sent or taken before the last message has arrived.
ONE_BY_ONE = ("--set", "COLL_NEXT_NS=11000", "--set", "COLL_SEND_NS=11000")


def one(*words):
    (row,) = rows(*words).values()
    return row


@unittest.skipIf(THOUSAND, "few ranks")
class Simulate(unittest.TestCase):
    def test_a_barrier_of_messages_one_by_one_takes_one_for_each_power(self):
        for ranks in (2, 4, 16):
            us, packets = one("-n", ranks, "--only", "barrier", *ONE_BY_ONE)
            steps = math.log2(ranks)
            self.assertEqual(packets, ranks * steps)
            # 10 us of latency, 0.5 us to send and 0.5 us to receive
            self.assertAlmostEqual(us, 11 * steps, delta=0.2 * steps)

    def test_a_barrier_of_messages_at_once_takes_one_step(self):
        for ranks in (2, 4, 16):
            us, packets = one("-n", ranks, "--only", "barrier")
            self.assertEqual(packets, ranks * (ranks - 1))
            self.assertAlmostEqual(us, 11 + 0.5 * (ranks - 2), delta=0.2)

    def test_an_allreduce_of_8_bytes_goes_one_by_one_or_at_once(self):
        for words, expected_packets, expected_us in ((ONE_BY_ONE, 24, 33), ((), 56, 17.4)):
            us, packets = one("-n", 8, "--only", "allreduce", "--sizes", 8, *words)
            self.assertEqual(packets, expected_packets)
            self.assertAlmostEqual(us, expected_us, delta=1)

    def test_every_operation_delivers_what_is_right_with_any_number_of_ranks(self):
        for ranks in (1, 3, 8):
            found = rows("-n", ranks, "--sizes", "8,100000", "--repetitions", 1)
            self.assertEqual([name for name, size in found if size != 100000], ALL.split(","))

    def test_ranks_are_connected_with_those_whom_they_speak_to(self):
        last = lambda *words: simulate("-n", 8, *words).stdout.splitlines()[-1]
        self.assertEqual(last("--only", "barrier"), "# connections of the rank that has most: 7")
        self.assertEqual(last("--only", "barrier", *ONE_BY_ONE), "# connections of the rank that has most: 5")
        self.assertEqual(last("--only", "barrier", "--ranks-per-node", 8), "# connections of the rank that has most: 0")

    def test_it_takes_the_same_time_again(self):
        for words in (("-n", 5, "--sizes", "8,300000"), ("-n", 12, "--ranks-per-node", 4, "--sizes", "8,300000")):
            self.assertEqual(simulate(*words).stdout, simulate(*words).stdout)

    def test_every_operation_delivers_what_is_right_with_several_ranks_on_a_host(self):
        for ranks, of_node in ((4, 4), (10, 4), (16, 8)):
            found = rows("-n", ranks, "--ranks-per-node", of_node, "--sizes", "8,100000", "--repetitions", 1)
            self.assertEqual([name for name, size in found if size != 100000], ALL.split(","))

    def test_a_host_of_several_ranks_is_entered_once_and_left_once(self):
        found = rows("-n", 32, "--ranks-per-node", 8, "--only", "bcast,reduce,allreduce,barrier", "--sizes", 8)
        packets = {name: packets for (name, _), (_, packets) in found.items()}
        self.assertEqual(packets, {"bcast": 3, "reduce": 3, "allreduce": 8, "barrier": 12})
        self.assertEqual(one("-n", 8, "--ranks-per-node", 8, "--only", "alltoall", "--sizes", 100000)[1], 0)

    def test_the_memory_of_a_host_has_its_effect(self):
        shared = ("-n", 8, "--ranks-per-node", 8, "--only")
        self.assertAlmostEqual(one(*shared, "barrier", "--node-latency", 5)[0], 5, delta=0.01)
        long = (*shared, "bcast", "--sizes", 1000000, "--node-bandwidth")
        self.assertAlmostEqual(one(*long, 1e9)[0], 10 * one(*long, 1e10)[0], delta=0.05 * one(*long, 1e9)[0])
        # each rank combines an eighth of all vectors, and copies at least its own out and the result in
        us, _ = one(*shared, "allreduce", "--sizes", 1000000, "--node-bandwidth", 1e9)
        self.assertGreater(us, 2 * 1000)
        self.assertLess(us, 4 * 1000)
        for word in ("--node-latency", "--node-bandwidth"):
            self.assertIn("requires --ranks-per-node", simulate("-n", 2, word, 1).stderr)

    def test_links_and_processors_have_their_effect(self):
        usual = ("-n", 4, "--only", "allreduce", "--sizes")
        us, _ = one(*usual, 8)
        self.assertAlmostEqual(one(*usual, 8, "--latency", 110)[0], us + 200, delta=2)
        self.assertAlmostEqual(one(*usual, 8, "--send-us", 10.5)[0], us + 20, delta=2)
        self.assertAlmostEqual(one(*usual, 8, "--receive-us", 10.5)[0], us + 20, delta=2)
        self.assertGreater(one(*usual, 4000000, "--bandwidth", 1.25e8)[0], 9 * one(*usual, 4000000)[0])

    def test_a_platform_of_simgrid_is_what_its_links_say(self):
        with tempfile.TemporaryDirectory() as folder:
            platform = Path(folder, "cluster.xml")
            platform.write_text(PLATFORM)
            words = ("-n", 4, "--only", "allreduce,bcast", "--sizes", "8,100000")
            star, read = rows(*words), rows(*words, "-p", platform)
            for row, (us, packets) in star.items():
                self.assertAlmostEqual(read[row][0], us, delta=0.01 * us)
                self.assertEqual(read[row][1], packets)
            refused = simulate("-n", 9, "-p", platform)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("has 8 hosts; 9 ranks, 1 on each, need 9", refused.stderr)
            shared = rows("-n", 16, "--ranks-per-node", 2, "-p", platform, "--only", "bcast", "--sizes", 8)
            self.assertEqual(shared["bcast", 8][1], 7)
            self.assertIn("17 ranks, 2 on each, need 9", simulate("-n", 17, "--ranks-per-node", 2, "-p", platform).stderr)
            self.assertEqual(simulate("-n", 2, "-p", platform, "--latency", 1).returncode, 2)
            platform.write_text("nothing")
            self.assertNotEqual(simulate("-n", 2, "-p", platform).returncode, 0)

    def test_settings_of_the_ranks_and_of_simgrid_have_their_effect(self):
        words = ("-n", 8, "--only", "allreduce", "--sizes", 8)
        self.assertNotEqual(one(*words, "--set", "COLL_ALLREDUCE=reduce_bcast")[1], one(*words)[1])
        long = ("-n", 3, "--only", "bcast", "--sizes", 1000000)
        self.assertGreater(one(*long, "--cfg", "network/model:LV08")[0], 1.02 * one(*long)[0])  # a link carries 0.97
        self.assertNotEqual(simulate(*long, "--cfg", "nothing:1").returncode, 0)
        self.assertIn("there is no configuration variable STARLING_NOTHING", simulate("-n", 2, "--set", "NOTHING=1").stderr)

    def test_what_takes_too_much_memory_is_left_out_and_said(self):
        done = simulate("-n", 4, "--only", "alltoall", "--sizes", "8,100000", "--memory", 1e6)
        lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
        self.assertEqual(len(lines), 2)
        self.assertNotIn("left out", lines[0])
        self.assertIn("left out", lines[1])

    def test_repetitions_are_taken_and_wrong_words_refused(self):
        self.assertEqual(one("-n", 2, "--only", "barrier", "--repetitions", 3)[1], 2)
        for words, said in ((("-n", "0"), "--ranks"), (("-n", "x"), "--ranks"), ((), "--ranks is required"),
                            (("-n", "2", "--only", "nothing"), "there is no operation 'nothing'"),
                            (("-n", "2", "--sizes", "8,x"), "not 'x'"), (("-n", "2", "--sizes", "3"), "not '3'"),
                            (("-n", "2", "--sizes", "10"), "not '10'"),
                            (("-n", "2", "--repetitions", "0"), "repetitions"), (("-n", "2", "--latency", "-1"), "latency"),
                            (("-n", "2", "--set", "COLL_BCAST=nothing"), "nothing"), (("-n", "2", "-p", "/nowhere"), "/nowhere")):
            done = simulate(*words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(said, done.stderr, words)


@unittest.skipUnless(THOUSAND, "--thousand")
class Thousand(unittest.TestCase):
    def test_a_thousand_ranks_send_for_each_power_of_two(self):
        found = rows("-n", 1024, "--only", "barrier,allreduce", "--sizes", 8, "--repetitions", 1, *ONE_BY_ONE)
        for us, packets in found.values():
            self.assertEqual(packets, 10 * 1024)
            self.assertAlmostEqual(us, 110, delta=3)

    def test_a_thousand_ranks_that_send_several_at_once_take_half_of_the_time(self):
        us, packets = one("-n", 1024, "--only", "barrier", "--repetitions", 1)
        self.assertEqual(packets, 28 * 1024)
        self.assertAlmostEqual(us, 46, delta=3)


if __name__ == "__main__":
    unittest.main()
