#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling see leaves a job as it is: results, output, exit status; and what it refuses."""
import subprocess
import sys
import unittest

from seen_job import ALONE, CALLS, STARLING, see, starling


class Run(unittest.TestCase):
    def test_a_program_runs_as_without_it(self):
        done = see("-n", "4", CALLS)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "all right\n", ""))

    def test_the_exit_status_is_the_launchers(self):
        done = see("-n", "1", "sh", "-c", "exit 3")
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_the_last_calls_of_a_rank_that_dies_are_said(self):
        done = see("-n", "2", CALLS, "crash")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"starling see: rank 0 has ended without MPI_Finalize\n  last calls of rank 0:\n")
        self.assertRegex(done.stderr, r"\n +\d+  MPI_Barrier on 'turned'\n +\d+  MPI_Send of 1 x MPI_INT to 0 with tag 13 on "
                                      r"MPI_COMM_WORLD\n  the other ranks then, and their calls before, the latest first:\n    "
                                      r"rank 1: (outside MPI, after MPI_Barrier.*|dead)\n      MPI_")


class Refuses(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([STARLING, "see", *arguments], capture_output=True, text=True, **ALONE, timeout=30,
                              check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_no_command(self):
        self.assertIn("what shall be run?", self.refused())

    def test_a_program_that_is_not_there(self):
        self.assertIn("no-such-launcher", self.refused("no-such-launcher", "-n", "2", CALLS))

    def test_a_program_that_is_no_launcher(self):
        self.assertIn("neither Open MPI's launcher nor MPICH's", self.refused("ls", "-n", "2", CALLS))

    def test_an_mpi_that_it_does_not_know(self):
        self.assertIn("--mpi", self.refused("--mpi", "lam", "ls"))

    def test_help_names_the_way(self):
        self.assertIn("starling see mpirun -n 4 ./program", starling("see", "--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
