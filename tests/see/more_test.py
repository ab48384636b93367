#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Other kinds of waits of another MPI's job: loops of tests, collectives out of step, persistent requests."""
import sys
import unittest

from seen_job import CALLS, HANG, Seen, position


class More(unittest.TestCase):
    def test_a_loop_of_tests_gets_nowhere(self):
        wanted = (f"0 waits for 1 in MPI_Recv with tag 7; 1 is in a loop of MPI_Test that gets nowhere for 0, at "
                  f"{position('test_loop')}")
        with Seen(2, HANG, "test") as job:
            self.assertEqual(job.sentence(wanted), wanted)

    def test_communicators_have_their_names_and_members(self):
        wanted = ("0 waits for 2 in MPI_Barrier on 'even', 2 for 0 in MPI_Barrier; 1 and 3 wait for them in MPI_Barrier")
        with Seen(4, HANG, "halves") as job:
            self.assertEqual(job.sentence(wanted, "--quick"), wanted)

    def test_a_persistent_receive_is_known_by_its_request(self):
        wanted = "0 waits for 1 in MPI_Wait with tag 11 on 'turned'; 1 is outside MPI"
        with Seen(2, CALLS, "persistent") as job:
            self.assertEqual(job.sentence(wanted, "--quick"), wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
