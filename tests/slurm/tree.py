#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs jobs on more Slurm nodes than mpiexec reaches by itself: the agents of two nodes start those of two others, by
srun inside their steps.

  scripts/slurm-two-nodes --nodes 34 tests/slurm/tree.py --bin build/release/bin [unittest's options and names]
"""
import argparse
import os
import sys
import unittest

sys.dont_write_bytecode = True
from cluster import find_nodes, left_behind
from jobs import FOLDER, Job

WIDTH = 32  # remote shells that a process starts at most
BELOW = 2
LIMIT_S = 120


class Tree(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.nodes = find_nodes()
        self.assertEqual(len(self.nodes), WIDTH + BELOW)

    def tearDown(self):
        self.assertEqual(left_behind(self.nodes, 10), [])

    def start(self, *words):
        return Job(("salloc", f"--nodes={WIDTH + BELOW}", "--ntasks-per-node=1", os.path.join(arguments.bin, "mpiexec"),
                    *words))

    def test_each_node_gets_its_rank(self):
        job = self.start(os.path.join(arguments.bin, "slurm_probe"), "where").finish(LIMIT_S)
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(sorted(job.out.splitlines()), sorted(
            f"rank {rank} of {WIDTH + BELOW} on n{rank + 1} with 1" for rank in range(WIDTH + BELOW)))

    def test_a_rank_that_an_inner_agent_has_started_ends_the_job(self):
        failing = f"n{WIDTH + BELOW}"
        job = self.start("sh", "-c", f"[ $(hostname) != {failing} ] || exit 3; sleep 600").finish(LIMIT_S)
        self.assertEqual(job.code, 3, job.err)
        self.assertRegex(job.err, rf"starling: rank {WIDTH + BELOW - 1} \(sh, process \d+ on host {failing}\) ended with exit "
                                  r"status 3; the job ends\.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="where the programs are (build/release/bin)")
    arguments, others = parser.parse_known_args()
    arguments.bin = os.path.abspath(arguments.bin)
    if not FOLDER:
        sys.exit("tests/slurm/tree.py: there is no cluster; run it by scripts/slurm-two-nodes --nodes 34")
    unittest.main(argv=[sys.argv[0], *others])
