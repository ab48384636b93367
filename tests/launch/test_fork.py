# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Children that a rank forks: their MPI calls are refused, and everything else of them works."""
import os

from launch_support import BIN, LaunchTest, main, run

FORK = os.path.join(BIN, "launch_fork")


class Fork(LaunchTest):
    def run_child(self, what):
        job = run("-n", "2", FORK, what)
        self.assertEqual(job.code, 0, job.err)
        self.assertIn("rank 1 has received 42\n", job.out)
        return job

    def test_a_forked_childs_call_is_refused_and_reaches_nobody(self):
        for what in ("send", "finalize", "init", "abort", "grandchild"):
            with self.subTest(what):
                job = self.run_child(what)
                self.assertIn("was forked by rank 0 after MPI_Init", job.err)
                self.assertNotIn("the child ended with 0\n", job.out)
                if what != "grandchild":  # the child between the two ends by exit() and writes what it has
                    self.assertEqual(job.out.count("unwritten"), 1, job.out)

    def test_a_handler_at_exit_learns_that_mpi_is_over(self):
        job = self.run_child("memory")
        self.assertIn("the child sees the end of MPI\n", job.out)
        self.assertIn("the child ended with 0\n", job.out)
        self.assertEqual(job.err, "")

    def test_children_that_run_another_program_go_on_working(self):
        for what in ("vfork", "system", "popen"):
            with self.subTest(what):
                job = self.run_child(what)
                self.assertIn("the child ended with 0\n", job.out)
                self.assertEqual(job.err, "")


if __name__ == "__main__":
    main()
