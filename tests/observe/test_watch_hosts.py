# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec says by itself of jobs over several hosts, which are names for this machine (tests/launch). The jobs of
all tests run at the same time."""
import os
import re
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../launch"))
from named_hosts import NamedHostsTest  # noqa: E402 pylint: disable=wrong-import-position
from launch_support import BIN  # noqa: E402 pylint: disable=wrong-import-position

HANG, STORM = (os.path.join(BIN, name) for name in ("observe_hang", "observe_storm"))
CIRCLE = "deadlock: 0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7; 3 waits for them in MPI_Barrier"
RANKS = "".join(rf"  rank {rank}  waits in MPI_Recv with tag 7, for {(rank + 1) % 3} \(\d+\.\d s\)\n" for rank in range(3))
RANKS += r"  rank 3  waits in MPI_Barrier, its number 1, for 0 to 2 \(\d+\.\d s\)\n"


class Watch(NamedHostsTest):
    def start(self, *arguments):
        job = self.job_on_hosts(*arguments)
        self.addCleanup(job.wait_until_gone)
        self.addCleanup(job.process.kill)
        return job

    def test_proves_deadlocks_and_says_no_false_word(self):
        """A job that is ended, one that is told of it once, and two that have no deadlock."""
        ended = self.start("--on-deadlock=end", HANG, "ring")
        told = self.start("--timeout", "4", HANG, "ring")
        storm = self.start("--on-deadlock=end", STORM, "20261123", "3", "300")
        patient = self.start("--on-deadlock=end", HANG, "patient")

        self.assertEqual(ended.finish().code, 125, ended.err)
        self.assertRegex(ended.err, f"^starling: {CIRCLE}; the job ends.\n{RANKS}$")
        self.assertEqual(ended.wait_until_gone(), [])

        self.assertEqual(told.finish().code, 124, told.err)
        notes = re.findall(f"(?m)^starling: note: {CIRCLE}.\n{RANKS}  They wait for ever;", told.err)
        self.assertEqual(len(notes), 1, told.err)

        # The best of some attempts: other work makes one longer, never shorter.
        shortest = 60
        for _ in range(4):
            begun = time.monotonic()
            self.assertEqual(self.start("--on-deadlock=end", HANG, "ring").finish().code, 125)
            shortest = min(shortest, time.monotonic() - begun)
            if shortest < 5:
                break
        self.assertLess(shortest, 5)

        for job in (storm, patient):
            self.assertEqual((job.finish().code, job.err), (0, ""))


if __name__ == "__main__":
    unittest.main()
