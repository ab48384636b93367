#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""An MPI whose calls fail below the preloaded library: the program gets the error, and later calls are right.

usage: faults_test.py LIBRARY FAULTY PROGRAM LAUNCHER...
"""
import os
import subprocess
import sys
import unittest

LIBRARY, FAULTY, PROGRAM, *LAUNCHER = sys.argv[1:]
RANKS = "3"
CALLS = ("Reduce", "Allreduce", "Bcast", "Gather", "Scatter", "Allgather")


def run(*words, **settings):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **settings}
    command = [*LAUNCHER, "-n", RANKS, "env", f"LD_PRELOAD={FAULTY}:{LIBRARY}", PROGRAM, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)


class Faults(unittest.TestCase):
    def test_an_error_of_a_plain_call_reaches_the_program_and_later_calls_are_right(self):
        done = run("plain", PAP_MODE="watch")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)

    def test_so_does_an_error_within_a_call_around_late_ranks(self):
        done = run(PAP_MODE="always")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        around = {words[1]: int(words[4]) for words in (line.split() for line in done.stderr.splitlines())
                  if len(words) > 4 and words[1] in CALLS}
        # Three that are right and the one that fails; after it all go plainly, as some of its messages may be left.
        self.assertEqual(around, dict.fromkeys(CALLS, 4), done.stderr)

    def test_an_error_of_one_rank_in_the_midst_of_a_reduction_leaves_no_rank_waiting(self):
        done = run("midst", PAP_MODE="always")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
