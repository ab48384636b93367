# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The last calls of a rank that is killed at any moment, in the report: what the program had written before each."""
import os
import random
import re
import signal
import tempfile
import time
import unittest

from launch_support import BIN, PROBE, Job, LaunchTest, main, run

PROGRAM = os.path.join(BIN, "launch_last_calls")
RANKS = 3
SHOWN = 8


def lines_of(path):
    try:
        with open(path) as file:
            return file.read().splitlines()
    except OSError:
        return []


class LastCalls(LaunchTest):
    def kill_somewhere(self, folder, victim, moment):
        """Kills a rank once it has made so many calls; its report, and what it has written."""
        path = os.path.join(folder, str(victim))
        job = Job("-n", str(RANKS), PROGRAM, folder)
        deadline = time.monotonic() + 60
        while len(lines_of(path)) < moment and time.monotonic() < deadline:
            time.sleep(0.001)
        killed = [process for process in job.processes() if self.rank_of(process) == victim]
        self.assertEqual(len(killed), 1)
        os.kill(killed[0], signal.SIGKILL)
        job.finish()
        self.assertEqual(job.code, 137, job.err)
        return job.err, lines_of(path)

    def rank_of(self, process):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                is_program = file.read().startswith(PROGRAM.encode())
            with open(f"/proc/{process}/environ", "rb") as file:
                found = re.search(rb"STARLING_JOB_RANK=(\d+)", file.read())
        except OSError:
            return None
        return int(found.group(1)) if is_program and found else None

    def test_a_killed_ranks_last_calls_are_those_that_it_made(self):
        draw = random.Random(4)
        for victim in (0, 2, 1, 2):
            with self.subTest(victim=victim), tempfile.TemporaryDirectory() as folder:
                report, written = self.kill_somewhere(folder, victim, draw.randrange(20, 200))
                match = re.search(rf"  last calls of rank {victim}:\n((?:    .*\n)+)", report)
                self.assertTrue(match, report)
                told = [re.sub(r"^ *\d+  |  <- in it$", "", line) for line in match.group(1).splitlines()]
                self.assertEqual(len(told), SHOWN)
                # It may have been killed between the line and the call.
                self.assertIn(told, [written[-SHOWN:], written[-SHOWN - 1:-1]])
                others = report[match.end():]
                self.assertTrue(others.startswith("  the other ranks then:\n    rank"), report)
                self.assertRegex(others, r"in MPI_|outside MPI, after MPI_")

    def test_the_call_that_a_rank_aborts_in_is_marked_as_such(self):
        report = run("-n", "2", PROGRAM, "/tmp", "refused").err
        self.assertRegex(report, r"last calls of rank \d:\n(.*\n)* +3  MPI_Send of 1 x MPI_INT to 2 with tag 3 on "
                                 r"MPI_COMM_WORLD  <- in it\n")

    def test_a_rank_that_makes_no_call_has_no_last_calls(self):
        self.assertNotIn("last calls", run("-n", "2", PROBE, "exit", "1", "3").err)

    def test_quiet_leaves_them_out(self):
        self.assertNotIn("last calls", run("-q", "-n", "2", PROGRAM, "/tmp", "refused").err)


if __name__ == "__main__":
    main()
