#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the same program on Starling without any library: its own collectives go around late ranks and say who they were.

usage: starling_test.py RANKS PROGRAM LAUNCHER...
"""
import os
import re
import subprocess
import sys
import unittest

RANKS, PROGRAM, LAUNCHER = int(sys.argv[1]), sys.argv[2], sys.argv[3:]


def run(*words, **settings):
    return subprocess.run([*LAUNCHER, "-n", str(RANKS), PROGRAM, *words], env={**os.environ, **settings}, capture_output=True,
                          text=True, timeout=200, check=False)


class Starling(unittest.TestCase):
    def test_results_stay_right_and_the_late_rank_is_named(self):
        done = run(STARLING_LATE="any", STARLING_LATE_TABLE="1")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        self.assertIn("starling: late ranks", done.stderr)
        reduces = re.findall(r"reduce +120000 +12 +(\d+) .* rank (\d+) in (\d+) %, by ([\d.]+) ms", done.stderr)
        self.assertGreaterEqual(len(reduces), 3, done.stderr)
        self.assertIn(str(RANKS - 1), [rank for _, rank, _, _ in reduces], "the rank that is always late")
        self.assertRegex(done.stderr, r"pap_program_starling:\S+ +barrier +0 el +1 ", "the calls by their site")
        patterns = re.findall(rf"reduce +120000 +12 .*\n    came((?: [\d.]+){{{RANKS}}})\n    left((?: [\d.]+){{{RANKS}}})\n",
                              done.stderr)
        self.assertEqual(len(patterns), len(reduces), done.stderr)
        came = [[float(time) for time in came.split()] for came, _ in patterns]
        self.assertIn(RANKS - 1, [times.index(max(times)) for times in came], "the rank that is always late comes last")

    def test_it_goes_around_the_late_rank_once_that_has_proved_worth_while(self):
        done = run("often", STARLING_LATE_TABLE="1")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        around = re.search(r"reduce +120000 +120 +(\d+) .* rank 4 in \d+ %", done.stderr)
        self.assertTrue(around, done.stderr)
        self.assertGreater(int(around[1]), 0, done.stderr)
        self.assertLess(int(around[1]), 120 - 20, "it began plainly")

    def test_it_goes_around_the_late_rank_in_nonblocking_calls_as_well(self):
        done = run("started", STARLING_LATE_TABLE="1")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        around = re.search(r"iallreduce +120000 +120 +(\d+) .* rank 4 in \d+ %", done.stderr)
        self.assertTrue(around, done.stderr)
        self.assertGreater(int(around[1]), 0, done.stderr)
        self.assertLess(int(around[1]), 120 - 20, "it began plainly")

    def test_each_algorithm_can_be_asked_for(self):
        for algorithm in ("clairvoyant", "arrival_order"):
            done = run(STARLING_LATE="any", STARLING_COLL_REDUCE=algorithm, STARLING_COLL_ALLREDUCE=algorithm)
            self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)

    def test_nothing_is_said_when_nobody_asked(self):
        done = run(STARLING_LATE="off")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "all right\n", ""))

    def test_a_choice_that_there_is_not_is_refused_by_name(self):
        done = run(STARLING_LATE="sometimes")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("STARLING_LATE=sometimes", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
