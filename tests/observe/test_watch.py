# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What mpiexec says by itself of jobs that do not get on, and that it says nothing of those that do.

The jobs of all tests run at the same time: most of them only wait.
"""
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest

BIN = os.environ.pop("STARLING_BIN", "") or os.path.join(os.path.dirname(__file__), "../../build/release/bin")
MPIEXEC, STARLING, HANG, DRAWN, STORM = (
    os.path.join(BIN, name) for name in ("mpiexec", "starling", "observe_hang", "observe_drawn", "observe_storm"))
SOURCE = os.path.join(os.path.dirname(__file__), "hang.c")
SOON = {"STARLING_LAUNCH_STILL_AFTER_MS": "1000"}
LIMIT_S = 90


def position(name):
    with open(SOURCE) as file:
        return next(f"hang.c:{number}" for number, line in enumerate(file, 1) if f"position: {name}" in line)


class Job:
    """A loop of tests takes a core, so a job with one is ended with the first line that is said of it."""

    def __init__(self, *arguments, stdout=subprocess.DEVNULL, one_line=False, **variables):
        self.one_line = one_line
        self.process = subprocess.Popen([MPIEXEC, *arguments], stdin=subprocess.DEVNULL, stdout=stdout,
                                        stderr=subprocess.PIPE, text=True, env=dict(os.environ, **variables))
        self.said = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.said += line
            if self.one_line:
                self.process.terminate()

    def ends(self):
        """The exit status; afterwards `said` is whole."""
        status = self.process.wait(timeout=LIMIT_S)
        self.reader.join(LIMIT_S)
        return status

    def says(self, pattern):
        """Waits until it is said; the job goes on, and is ended."""
        deadline = time.monotonic() + LIMIT_S
        while not re.search(pattern, self.said, re.MULTILINE) and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return re.search(pattern, self.said, re.MULTILINE)  # it may have ended with what it said

    def ranks(self):
        """The processes of the ranks."""
        found = {}
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as workers:
            for worker in workers.read().split():
                with open(f"/proc/{worker}/task/{worker}/children") as children:
                    for child in children.read().split():
                        with open(f"/proc/{child}/environ") as file:
                            if match := re.search(r"(?:^|\0)STARLING_JOB_RANK=(\d+)", file.read()):
                                found[int(match[1])] = int(child)
        return found

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.ends()


JOBS = {}


def setUpModule():
    JOBS.update(
        ring=Job("--timeout", "6", "-n", "5", HANG, "ring"),
        ended=Job("--on-deadlock=end", "-n", "5", HANG, "ring"),
        silent=Job("--on-deadlock=nothing", "--timeout", "2.5", "-n", "2", HANG, "sends"),
        quiet=Job("-q", "--timeout", "2.5", "-n", "2", HANG, "sends"),
        loop=Job("--note-after", "0.5", "-n", "2", HANG, "test", one_line=True),
        sleeping_loop=Job("--note-after", "0.5", "-n", "2", DRAWN, "R1:7/Z0:9"),
        still=Job("--note-after", "never", "-n", "2", HANG, "test", one_line=True, **SOON),
        tests=Job("--note-after", "never", "-n", "2", HANG, "tests", one_line=True, **SOON),
        fence=Job("--on-deadlock=end", "-n", "2", HANG, "fence", **SOON),
        window=Job("--on-deadlock=end", "-n", "2", DRAWN, "P1/R0:1", **SOON),
        patient=Job("--on-deadlock=end", "-n", "4", HANG, "patient"),
        storm=Job("--on-deadlock=end", "-n", "4", STORM, "20261123", "3", "300"),
        crowd=Job("--on-deadlock=end", "-n", "9", STORM, "7", "3", "1200"))


def tearDownModule():
    for job in JOBS.values():
        job.stop()


class ADebugger(unittest.TestCase):
    """First, while the other jobs run: it takes as long as they do."""

    def test_that_stops_a_rank_hears_nothing_false(self):
        job = JOBS["stopped"] = Job("--on-deadlock=end", "--note-after", "0.5", "-n", "2", HANG, "healthy", **SOON)
        deadline = time.monotonic() + LIMIT_S
        while len(ranks := job.ranks()) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)

        def why():
            return subprocess.run([STARLING, "why", "--quick", str(job.process.pid)], capture_output=True, text=True).stdout
        # Both have to be through MPI_Init.
        while ("rank" not in (said := why()) or "MPI_Init" in said) and time.monotonic() < deadline:
            pass
        os.kill(ranks[1], signal.SIGSTOP)
        try:
            said = ""
            while "rank 1" not in said and time.monotonic() < deadline:
                said = why()
            self.assertRegex(said, r"(?m)^  rank 1 +is stopped, as by a debugger", said)
            time.sleep(2.5)  # two looks, and twice as long as any state has to last
        finally:
            os.kill(ranks[1], signal.SIGCONT)
        self.assertEqual(job.ends(), 0, job.said)
        self.assertEqual(job.said, "")


class Deadlock(unittest.TestCase):
    maxDiff = None
    # It may be found before the ranks that wait for it have come to MPI_Init.
    CIRCLE = "deadlock: 0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7"
    RANKS = (r"  rank 0         waits in MPI_Recv with tag 7, for 1 \(\d+\.\d s\)\n"
             r"  rank 1         waits in MPI_Recv with tag 7, for 2 \(\d+\.\d s\)\n"
             r"  rank 2         waits in MPI_Recv with tag 7, for 0 \(\d+\.\d s\)\n"
             r"  ranks 3 and 4  wait in MPI_Barrier, its number 1, for 0 to 2 \(\d+\.\d s\)\n")

    def test_is_said_once_and_again_when_the_time_is_over(self):
        job = JOBS["ring"]
        self.assertEqual(job.ends(), 124)
        notes, _, end = job.said.partition("starling: the job has run for its --timeout of 6 s; it ends.\n")
        self.assertRegex(notes, f"^starling: note: {self.CIRCLE}.*\n(  rank.*\n)+"
                                "  They wait for ever; with --on-deadlock=end mpiexec ends such a job.\n$")
        self.assertRegex(end, f"^starling: {self.CIRCLE}; 3 and 4 wait for them in MPI_Barrier.\n{self.RANKS}$")

    def test_ends_the_job_on_request(self):
        job = JOBS["ended"]
        self.assertEqual(job.ends(), 125)
        self.assertRegex(job.said, f"^starling: {self.CIRCLE}.*; the job ends.\n(  rank.*\n)+$")

    def test_ends_the_job_within_five_seconds_of_becoming_one(self):
        """The best of some attempts: other work makes one longer, never shorter."""
        for ranks in ("3", "64"):
            shortest = LIMIT_S
            for _ in range(4):
                job = Job("--on-deadlock=end", "-n", ranks, HANG, "circle", stdout=subprocess.PIPE)
                begun = max(float(job.process.stdout.readline()) for _ in range(int(ranks)))
                self.assertEqual(job.ends(), 125, job.said)
                shortest = min(shortest, time.monotonic() - begun)
                if shortest < 5:
                    break
            print(f"a deadlock of {ranks} ranks has ended its job after {shortest:.2f} s", file=sys.stderr)
            self.assertLess(shortest, 5)

    def test_is_not_said_to_those_who_do_not_want_to_hear_it(self):
        for name in ("silent", "quiet"):
            self.assertEqual(JOBS[name].ends(), 124)
            self.assertNotIn("note", JOBS[name].said)

    def expect_to_be_probable(self, name, sentence):
        """... and ends nothing, though the launcher goes on looking."""
        job = JOBS[name]
        self.assertTrue(job.says(f"^starling: note: probably deadlock: {sentence}"), job.said)
        time.sleep(1)
        self.assertIsNone(job.process.poll())

    def test_is_only_probable_where_windows_are_involved(self):
        self.expect_to_be_probable("window", "0 waits for 1 in MPI_Win_wait.*, 1 for 0 in MPI_Recv with tag 1.\n")

    def test_is_only_probable_where_one_waits_in_a_fence(self):
        self.expect_to_be_probable("fence", "0 waits for 1 in MPI_Recv with tag 7, 1 for 0 in MPI_Win_fence")


class Late(unittest.TestCase):
    def test_rank_is_named_with_its_time_and_its_line(self):
        # Begun only here, for one of its ranks keeps a core busy.
        job = JOBS["missing"] = Job("--note-after", "0.5", "-n", "4", HANG, "missing")
        self.assertTrue(job.says(
            r"^starling: note: rank 2 is missing in MPI_Allreduce number 51 on 'solver'; it has been outside MPI for "
            rf"\d+\.\d s, at {position('missing')}\.\n"), job.said)
        said = subprocess.run([STARLING, "why", "--quick", str(job.process.pid)], capture_output=True, text=True).stdout
        job.stop()
        self.assertRegex(said, r"^rank 2 is missing in MPI_Allreduce number 51 on 'solver'; it has been outside MPI for \d+")

    def test_loop_of_tests_is_named_for_what_it_is(self):
        for name, file in (("loop", "hang.c"), ("sleeping_loop", "")):
            self.assertTrue(JOBS[name].says(
                r"^starling: note: 0 waits for 1 in MPI_Recv with tag 7; 1 is in a loop of (MPI_Test|tests) that gets "
                rf"nowhere for 0, at .*{file}"), JOBS[name].said)

    def test_job_in_which_nothing_completes_is_told_of(self):
        job = JOBS["still"]
        self.assertTrue(job.says(r"^starling: note: 0 waits for 1 in MPI_Recv with tag 7; 1 is in a loop of MPI_Test"),
                        job.said)


class AllTest(unittest.TestCase):
    def test_in_vain_is_told_of_with_the_line(self):
        job = JOBS["tests"]
        found = job.says(r"^starling: note: 0 is in a loop of MPI_Test that gets nowhere for 1, at (.*) and 1 is in a loop "
                         r"of MPI_Test that gets nowhere for 0, at (.*)\.\n")
        self.assertTrue(found, job.said)
        self.assertEqual(found.groups(), (position("all_test"),) * 2)


class NoFalseWord(unittest.TestCase):
    def expect_silence(self, name):
        self.assertEqual(JOBS[name].ends(), 0, JOBS[name].said)
        self.assertEqual(JOBS[name].said, "")

    def test_of_a_rank_that_comes_late(self):
        self.expect_silence("patient")

    def test_of_random_steps(self):
        self.expect_silence("storm")

    def test_of_random_steps_of_two_threads(self):
        JOBS["threads"] = Job("--on-deadlock=end", "-n", "4", STORM, "12", "2", "300", "0", "threads")
        self.expect_silence("threads")

    def test_though_it_speaks_before_the_late_have_come(self):
        """The pauses are longer than what is told of. Whatever is said of this program must be true of the moment: somebody
        lets others wait, outside MPI or in tests. That ranks wait for ever, call otherwise or have gone is never true."""
        notes = []
        for seed in range(11, 19):  # until somebody was late at the moment of a look
            job = JOBS["pressed"] = Job("--on-deadlock=end", "--note-after", "0.05", "-n", "4", STORM, str(seed), "2", "1500",
                                        STARLING_LAUNCH_STILL_AFTER_MS="50")
            self.assertEqual(job.ends(), 0, job.said)
            notes = re.findall(r"(?m)^starling: .*$", job.said)
            for note in notes:
                self.assertNotRegex(note, r"deadlock|called|has exited|wait for ever|the job ends")
                self.assertRegex(note, r"^starling: note: .*(outside MPI|in a loop of|goes? on|(is|are) in MPI_|not reached MPI_Init)")
            if notes:
                break
        self.assertTrue(notes)

    def test_of_random_steps_in_a_crowd(self):
        self.expect_silence("crowd")


if __name__ == "__main__":
    unittest.main()
