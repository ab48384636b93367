#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What starling see says by itself of a job of another MPI that does not get on, and that it says nothing of one that does.

The jobs of all tests run at the same time. Those whose ranks spin or compute end with what is said of them.
"""
import subprocess
import sys
import time
import unittest

from seen_job import ALONE, HANG, LAUNCHER, STARLING, Seen, position

SOON_MS = 1500
SOON = {"STARLING_LAUNCH_STILL_AFTER_MS": str(SOON_MS)}
NOT_STILL = {"STARLING_LAUNCH_STILL_AFTER_MS": "600000"}
WAITS = "0 waits for 1, 1 for 0, both in MPI_Ssend with tag 3"
LATE = "rank 2 is missing in MPI_Allreduce number 51 on 'solver'"
JOBS = {}


def setUpModule():
    JOBS.update(
        still=Seen(2, HANG, "sends", options=(), STARLING_LAUNCH_ON_DEADLOCK="end", **SOON),
        nothing=Seen(2, HANG, "sends", options=("--on-deadlock=nothing",), **SOON),
        late=Seen(3, HANG, "missing", options=("--note-after", "0.5"), **NOT_STILL),
        late_by_setting=Seen(3, HANG, "missing", options=(), STARLING_LAUNCH_NOTE_AFTER_MS="500", **NOT_STILL),
        never=Seen(3, HANG, "missing", options=("--note-after=never",), STARLING_LAUNCH_NOTE_AFTER_MS="500", **NOT_STILL),
        patient=Seen(2, HANG, "patient", options=(), STARLING_LAUNCH_STILL_AFTER_MS="2500"))


def tearDownModule():
    for job in JOBS.values():
        job.process.terminate()
    for job in JOBS.values():
        job.ends()


class Notes(unittest.TestCase):
    def test_ranks_that_wait_for_each_other_wait_and_are_in_no_deadlock(self):
        job = JOBS["still"]
        self.assertTrue(job.writes(rf"(?m)^starling: note: {WAITS}\.\n"
                                   r"  rank 0 +waits in MPI_Ssend with tag 3, for 1 \(\d+\.\d s\)\n"
                                   r"  rank 1 +waits in MPI_Ssend with tag 3, for 0 \(\d+\.\d s\)\n"), job.output)
        # Not even where the settings want to end what is proven.
        self.assertIsNone(job.process.poll())
        self.assertNotIn("deadlock", job.output)

    def test_a_rank_that_keeps_others_waiting_is_named_with_its_line(self):
        for name in ("late", "late_by_setting"):
            self.assertTrue(JOBS[name].writes(
                rf"(?m)^starling: note: {LATE}; it has been outside MPI for \d+(\.\d)? s, at {position('missing')}\.\n"),
                            JOBS[name].output)
            JOBS[name].process.terminate()

    def test_nothing_is_said_to_those_who_do_not_want_to_hear_it(self):
        # They are in the states of which others hear, for longer than that takes.
        for name, sentence in (("nothing", WAITS), ("never", f"{LATE}; it is outside MPI")):
            self.assertEqual(JOBS[name].sentence(sentence, "--quick"), sentence)
        time.sleep(2 * SOON_MS / 1000)
        for name in ("nothing", "never"):
            self.assertEqual(JOBS[name].output, "")
            JOBS[name].process.terminate()

    def test_nothing_is_said_of_a_job_that_pauses(self):
        self.assertEqual(JOBS["patient"].ends(), 0)
        self.assertEqual(JOBS["patient"].output, "")


class Refuses(unittest.TestCase):
    def refused(self, *options):
        done = subprocess.run([STARLING, "see", *options, *LAUNCHER, "-n", "1", "true"], capture_output=True, text=True,
                              **ALONE, timeout=30, check=False)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def test_to_end_a_job_of_which_nothing_is_proven(self):
        self.assertIn("too little is seen to prove a deadlock. Use say or nothing", self.refused("--on-deadlock=end"))

    def test_what_is_no_time(self):
        self.assertIn("--note-after takes seconds", self.refused("--note-after", "soon"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
