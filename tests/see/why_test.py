#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling ps, why and stack on a job of another MPI that hangs: what they say of Starling's, but never "deadlock"."""
import sys
import unittest

from seen_job import HANG, Seen, position, starling


class Why(unittest.TestCase):
    def test_a_ring_of_receives_waits_and_is_no_deadlock(self):
        wanted = "0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7"
        with Seen(3, HANG, "ring") as job:
            self.assertEqual(job.sentence(wanted), wanted)
            whole = starling("why", job.id).stdout
            self.assertRegex(whole, r"  rank 0 +waits in MPI_Recv with tag 7, for 1 \(\d+\.\d s\)\n")
            listed = next(line for line in starling("ps").stdout.splitlines() if line.split()[0] == job.id)
            self.assertRegex(listed, r"^ *\d+ +3 +\d+(\.\d)? s +waiting +rank [012], \d+\.\d s in MPI_Recv with tag 7$")
            self.assertNotIn("deadlock", whole + listed)
            stacks = starling("stack", job.id).stdout
            self.assertRegex(stacks, r"0 to 2 +main at hang\.c:\d+\n +ring at hang\.c:\d+\n +receive at hang\.c:\d+\n0 +-> waits in MPI_Recv")

    def test_names_who_is_missing_in_a_collective_and_where_it_is(self):
        wanted = f"rank 2 is missing in MPI_Allreduce number 51 on 'solver'; it is outside MPI, at {position('missing')}"
        with Seen(3, HANG, "missing") as job:
            self.assertEqual(job.sentence(wanted), wanted)
            top = starling("top", "--once", job.id)
            self.assertIn("MPI_Allreduce", top.stdout + top.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
