#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Buffers that do not count, and inputs that nobody may write, while calls go around a late rank: under the preloaded
library, and on Starling also by each of its own algorithms.

usage: buffers_test.py LIBRARY PROGRAM LAUNCHER...
"""
import os
import subprocess
import sys
import unittest

LIBRARY, PROGRAM, *LAUNCHER = sys.argv[1:]
IS_STARLING = LIBRARY.endswith("_starling.so")
RANKS = "4"
ROOTED = ("REDUCE", "BCAST", "GATHER", "SCATTER")


def run(preload=None, **settings):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **settings}
    command = [*LAUNCHER, "-n", RANKS, *(["env", f"LD_PRELOAD={preload}"] if preload else []), PROGRAM]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=200, check=False)


class Buffers(unittest.TestCase):
    def test_the_library_touches_nothing_but_what_counts(self):
        done = run(LIBRARY, PAP_MODE="always")
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        around = [int(line.split()[4]) for line in done.stderr.splitlines() if " Reduce " in line]
        self.assertGreater(sum(around), 0, "no reduce went around the late rank: " + done.stderr)

    @unittest.skipUnless(IS_STARLING, "Starling's own")
    def test_neither_do_the_algorithms_that_go_around(self):
        for algorithm in ("auto", "clairvoyant", "arrival_order"):
            chosen = {f"STARLING_COLL_{call}": algorithm for call in ROOTED
                      if algorithm != "arrival_order" or call == "REDUCE"}
            done = run(STARLING_LATE="any", STARLING_LATE_TABLE="1", **chosen)
            self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), algorithm + done.stderr)
            self.assertRegex(done.stderr, r"reduce +120000 +\d+ ", "no account of late ranks")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
