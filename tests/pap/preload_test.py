#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program that knows nothing of it under the preloaded library: its results stay right, and the late rank is named.

usage: preload_test.py [--brief] RANKS LIBRARY PROGRAM LAUNCHER...

--brief is for an MPI whose ranks spin on cores that others need, so that every call takes long: only reduces, and what
no other count of ranks shows.
"""
import os
import re
import subprocess
import sys
import unittest

BRIEF = sys.argv[1] == "--brief"
RANKS, LIBRARY, PROGRAM, *LAUNCHER = sys.argv[2:] if BRIEF else sys.argv[1:]
RANKS = int(RANKS)


def run(*words, **settings):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **settings}
    # Through env, so that only the ranks load it and not the launcher.
    command = [*LAUNCHER, "-n", str(RANKS), "env", f"LD_PRELOAD={LIBRARY}",
               *(f"{name}={value}" for name, value in settings.items()), PROGRAM, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200, check=False)


class Preloaded(unittest.TestCase):
    def test_results_stay_right_and_the_late_rank_is_named(self):
        done = run(*(["brief"] if BRIEF else []), PAP_MODE="always")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        self.assertIn("pap: late ranks", done.stderr)
        self.assertRegex(done.stderr, r"\+0x\w+ +Barrier +0 el +1 ", "the calls by their site")
        reduces = re.findall(r"Reduce +120000 +12 +(\d+) .* rank (\d+) in (\d+) %, by ([\d.]+) ms", done.stderr)
        if RANKS < 3:
            self.assertEqual(reduces, [])  # two ranks have nobody to go around
            return
        self.assertEqual(len(reduces), 3, done.stderr)
        for around, _, share, behind in reduces:
            self.assertLessEqual(int(around), 12)
            self.assertGreater(int(share), 0)
            self.assertGreater(float(behind), 0)
        self.assertIn(str(RANKS - 1), [rank for _, rank, _, _ in reduces], "the rank that is always late")
        self.assertEqual([around for around, _, _, _ in reduces], ["12"] * 3, "every reduce goes around")

    @unittest.skipIf(RANKS != 4, "once is enough")
    def test_it_goes_around_the_late_rank_once_that_has_proved_worth_while(self):
        done = run("often")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        around = re.search(r"Reduce +120000 +120 +(\d+) .* rank 3 in \d+ %", done.stderr)
        self.assertTrue(around, done.stderr)
        self.assertGreater(int(around[1]), 0, done.stderr)
        self.assertLess(int(around[1]), 120 - 20, "it began plainly")

    def test_calls_are_right_whichever_way_they_go(self):
        done = run(*(["brief"] if BRIEF else []))
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)

    @unittest.skipIf(BRIEF, "shown with two ranks")
    def test_it_can_be_switched_off(self):
        done = run(PAP_MODE="off")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        self.assertNotIn("pap:", done.stderr)

    @unittest.skipIf(BRIEF, "shown on the other MPIs")
    def test_it_can_only_watch(self):
        done = run(PAP_MODE="watch")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        # All calls are told at the end at the latest, so that the table has them.
        reduces = re.findall(r"Reduce +120000 +12 +(\d+) .* rank \d+ in \d+ %", done.stderr)
        self.assertEqual(reduces, ["0"] * 3 if RANKS > 2 else [], done.stderr)

    def test_a_rank_that_dies_in_the_middle_ends_the_job_with_the_error_of_the_mpi_below(self):
        if RANKS != 4:
            self.skipTest("once is enough")
        done = run("die", PAP_MODE="always")  # a job that hangs runs into the time limit
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("nobody died", done.stdout)
        self.assertRegex((done.stderr + done.stdout).lower(), r"signal|kill", "nothing says why the job ended")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
