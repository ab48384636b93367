#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling see --trace and --report: what is recorded of a job of another MPI, and that the job is the same without."""
import collections
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../trace"))
from event_log import CALL, RECEIVE, SEND, events_of  # noqa: E402 pylint: disable=wrong-import-position
from seen_job import ALONE, CALLS, LAUNCHER, MPI, PATIENCE_S, STARLING, STEPS, THREADS, Seen, see, starling

SOURCE = os.path.join(os.path.dirname(__file__), "steps.c")
RANKS, STEP_COUNT = 3, 5


def line_of(name):
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if f"position: {name}" in line)


class Trace(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(self.folder, "job.pftrace")

    def log_of(self, *options, ranks=RANKS, program=(STEPS,)):
        """What is recorded of a whole job: the file into which it shall become cannot be written at the end."""
        with Seen(ranks, *program, options=("--trace", self.file, *options)) as job:
            deadline = time.monotonic() + PATIENCE_S
            while not os.path.exists(self.file + ".log") and time.monotonic() < deadline:
                time.sleep(0.01)
            os.mkdir(self.file)
            self.assertEqual(job.ends(), 0)
        self.assertIn(f"What was recorded is in {self.file}.log: 'starling trace convert", job.output)
        return events_of(self.file + ".log")

    def recorded(self, *options):
        """A whole job, whose results are those that it has alone."""
        alone = subprocess.run([*LAUNCHER, "-n", str(RANKS), STEPS], **ALONE, capture_output=True, text=True,
                               timeout=PATIENCE_S, check=False)
        done = see("-n", str(RANKS), STEPS, options=options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, alone.stdout, ""))

    def summary(self):
        shown = starling("trace", "summary", self.file)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        return shown.stdout

    def test_the_summary_names_lines_and_the_late_rank(self):
        late = None
        # On a busy machine another rank may be later for once.
        for _ in range(4):
            self.recorded("--trace", self.file)
            self.assertEqual(os.listdir(self.folder), ["job.pftrace"])
            text = self.summary()
            self.assertRegex(text, r"^3 ranks on 1 host, ")
            for call, name in (("MPI_Barrier", "barrier"), ("MPI_Recv", "receive"), ("MPI_Ssend", "send")):
                self.assertRegex(text, rf"\n  {call} in late at steps\.c:{line_of(name)} ")
            self.assertIn("the job was of another MPI and seen from outside", text)
            # 10 ms in each step for two ranks in the barrier, for rank 0 in its receive, for rank 2 in its send.
            late = re.search(r"Who made others wait\n  rank 1 +\S+ m?s in all; .*\n( +\d+ ms in \d+ waits? of MPI_\w+\n)+", text)
            causes = re.search(r"(?m)^  rank 0 .*% +(\d+) ms +\S+.*\n.*\n  rank 2 .*% +\S+( m?s| us)? +(\d+) ms ", text)
            if late and causes and min(int(causes[1]), int(causes[3])) >= 8 * STEP_COUNT:
                waits = dict((call, int(time)) for time, call in re.findall(r"(\d+) ms in \d+ waits? of (MPI_\w+)", late[0]))
                if all(waits.get(call, 0) >= 8 * STEP_COUNT for call in ("MPI_Barrier", "MPI_Ssend")):
                    return
        self.fail(f"rank 1 is not the late one in\n{text}")

    def test_the_page_shows_lines_memory_and_machines(self):
        page = os.path.join(self.folder, "job.html")
        self.recorded("--report", page)
        self.assertEqual(os.listdir(self.folder), ["job.html"])
        with open(page, encoding="utf-8") as file:
            shown = file.read()
        self.assertRegex(shown, rf"<td>MPI_Barrier in late at steps\.c:{line_of('barrier')}</td>")
        self.assertRegex(shown, r"<td>rank 1</td><td>[\d.]+ m?s</td>")
        self.assertRegex(shown, r"<td>rank 2</td><td>[\d.]+ MiB</td><td>0 B</td>")
        machine = re.search(r"<td>this host</td><td>3</td><td>(\d+)</td>", shown)
        self.assertIn(int(machine[1]), range(1, len(os.sched_getaffinity(0)) + 1))
        self.assertIn("seen from outside", shown)

    def test_messages_are_joined_by_their_order_however_the_program_hears_of_them(self):
        events = self.log_of("--trace-calls", "all")
        sends, receives = {}, {}
        for rank in range(RANKS):
            for event in events[rank]:
                if event.kind == SEND:
                    sends[rank, event.peer, event.context, event.tag, event.sequence] = event
                elif event.kind == RECEIVE:
                    receives[event.peer, rank, event.context, event.tag, event.sequence] = event
        # late 2, overtaken 12, and 6 of each rank in the ring
        self.assertEqual(len(sends), STEP_COUNT * (2 + 12 + 6 * RANKS))
        self.assertEqual(sorted(sends), sorted(receives))
        wrong = [(key, send.bytes, receives[key].bytes) for key, send in sends.items()
                 if receives[key].bytes != send.bytes and receives[key].bytes < 100000]
        self.assertEqual(wrong, [])
        self.assertTrue(all(send.begin < receives[key].end for key, send in sends.items()))
        self.assertEqual(sum(event.skipped for rank in range(RANKS) for event in events[rank] if event.kind == CALL), 0)

    def test_several_threads_of_a_rank_are_recorded_at_once(self):
        threads, turns = 4, 100
        events = self.log_of("--trace-calls", "all", ranks=2, program=(THREADS, str(threads), str(turns)))
        for rank in range(2):
            ends = collections.defaultdict(int)
            for event in (each for each in events[rank] if each.kind == CALL):
                self.assertLessEqual(ends[event.thread], event.begin, "two calls of a thread overlap")
                self.assertLessEqual(event.begin, event.end)
                ends[event.thread] = event.end
            self.assertEqual(len(ends), threads + 1)
            sent = sorted((event.tag, event.sequence) for event in events[rank] if event.kind == SEND)
            self.assertEqual(sent, [(helper, turn + 1) for helper in range(threads) for turn in range(turns)])
            self.assertEqual(sorted((event.tag, event.sequence) for event in events[1 - rank] if event.kind == RECEIVE), sent)

    def test_short_calls_are_only_counted_unless_all_are_wanted(self):
        events = self.log_of()
        self.assertGreater(sum(event.skipped for rank in range(RANKS) for event in events[rank] if event.kind == CALL), 0)
        # The log has what the trace would have been made of.
        os.rmdir(self.file)
        done = starling("trace", "convert", self.file + ".log", self.file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(starling("trace", "summary", self.file).stdout,
                         r"calls were only counted: they neither waited nor moved more than 1 KiB")


class SeveralJobs(unittest.TestCase):
    def test_are_told_that_the_trace_is_of_the_first(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "job.pftrace")
            job = f'{" ".join(LAUNCHER)} -n 2 {CALLS}'
            done = subprocess.run([STARLING, "see", "--mpi", MPI, "--trace", file, "sh", "-c", f"{job}; {job}"], **ALONE,
                                  capture_output=True, text=True, timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (0, "all right\nall right\n"), done.stderr)
            self.assertEqual(done.stderr, "starling see: the trace is of the first job; those that have started after it are not "
                                          "recorded\n")
            self.assertRegex(starling("trace", "summary", file).stdout, r"(?m)^  MPI_Finalize +2 +2 ")


class Refuses(unittest.TestCase):
    def test_a_place_that_takes_no_file_before_the_job_runs(self):
        for option in ("--trace", "--report"):
            done = see("-n", "1", "sh", "-c", "echo ran", options=(option, "/no/such/folder/file"))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("/no/such/folder/file cannot be written", done.stderr)

    def test_other_values_than_it_knows(self):
        for words in (("--trace-calls", "some"), ("--trace-limit", "0"), ("--trace-limit", "many")):
            done = see("-n", "1", "true", options=("--trace", "/dev/null", *words))
            self.assertEqual(done.returncode, 2)
            self.assertIn(words[0], done.stderr)

    def test_to_be_silent_where_there_was_nothing_to_record(self):
        done = see("-n", "1", "true", options=("--trace", "/dev/null"))
        self.assertEqual((done.returncode, done.stderr),
                         (0, "starling see: nothing is recorded: no rank has come through MPI_Init\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
