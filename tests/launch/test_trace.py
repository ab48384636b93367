# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --trace: what is recorded of a job, here and on several hosts, and what is said where that does not work."""
import os
import re
import signal
import subprocess
import sys
import time
import unittest

from launch_support import BIN, MPIEXEC, STARLING, Job, children_of, main, run
from named_hosts import NamedHostsTest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../trace"))
from event_log import CALL, COLLECTIVE, RECEIVE, SEND, TRAFFIC, WAIT, events_of  # noqa: E402 pylint: disable=wrong-import-position

PROGRAM = os.path.join(BIN, "launch_traced")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "traced.c")
STEPS = 15  # so many that a busy machine makes no receiver late in all of them


class Trace(NamedHostsTest):
    def setUp(self):
        super().setUp()
        self.traces = os.path.join(self.folder, "traces")
        os.mkdir(self.traces)
        self.file = os.path.join(self.traces, "job.pftrace")

    def log_of(self, *options):
        """The events of a job whose launcher is killed once all its calls have been recorded."""
        through = os.path.join(self.folder, "through")
        job = Job("--trace", self.file, *options, "-n", "3", PROGRAM, str(STEPS), through)
        deadline = time.monotonic() + 60
        events = {}
        while time.monotonic() < deadline:
            time.sleep(0.02)
            if os.path.exists(through) and os.path.getsize(through) == 3:
                events = events_of(self.file + ".log")
                barriers = [sum(e.kind == CALL and e.flags & COLLECTIVE for e in events[rank]) for rank in range(3)]
                if barriers == [STEPS] * 3:
                    break
        os.kill(children_of(job.process.pid)[0], signal.SIGKILL)
        job.finish()
        self.assert_clean(job)
        return events

    def test_what_is_recorded_fits_what_the_ranks_did(self):
        events = self.log_of()
        for rank in range(3):
            barriers = [e for e in events[rank] if e.kind == CALL and e.flags & COLLECTIVE]
            self.assertEqual([(e.context, e.sequence) for e in barriers], [(0, n + 1) for n in range(STEPS)])
            self.assertTrue(all(e.begin <= e.end for e in events[rank]))
        # All are in a barrier at one moment.
        for n in range(1, STEPS + 1):
            same = [next(e for e in events[rank] if e.flags & COLLECTIVE and e.kind == CALL and e.sequence == n)
                    for rank in range(3)]
            self.assertLess(max(e.begin for e in same), min(e.end for e in same))
        sends = {(e.peer, e.sequence): e for e in events[0] if e.kind == SEND}
        for rank in (1, 2):
            receives = [e for e in events[rank] if e.kind == RECEIVE]
            long = [e for e in receives if e.bytes == 100000]
            self.assertEqual(len(long), STEPS)
            for receive in long:
                send = sends[rank, receive.sequence]
                self.assertEqual((send.bytes, send.tag, send.context), (receive.bytes, receive.tag, receive.context))
                self.assertLess(send.begin, receive.end)
            # A short message that came late was waited for, and its sender is found. Where the machine is busy the
            # receiver may be later than that, but not always.
            late = [e for e in events[rank] if e.kind == WAIT and e.peer == 0 and e.tag == 1]
            met = [(wait, e) for wait in late for e in receives if e.tag == 1 and wait.begin <= e.end <= wait.end]
            self.assertEqual(len(met), len(late))
            self.assertTrue(any(sends[rank, e.sequence].begin > wait.begin for wait, e in met
                                if (rank, e.sequence) in sends), (late, receives))

    def test_all_calls_are_recorded_where_that_is_wanted(self):
        events = self.log_of("--trace-calls", "all")
        calls = [e for e in events[0] if e.kind == CALL]
        self.assertEqual(sum(e.skipped for e in calls), 0)
        # Of each step four sends and a barrier; MPI_Comm_rank and MPI_Comm_size.
        self.assertEqual(len(calls), 2 + STEPS * 5)

    def test_the_log_becomes_a_trace_when_the_job_is_over(self):
        job = run("--trace", self.file, "-n", "3", PROGRAM, str(STEPS))
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(os.listdir(self.traces), ["job.pftrace"])
        shown = subprocess.run([STARLING, "trace", "summary", self.file], capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("MPI_Barrier", shown.stdout)
        # Each of the calls by its line, as the program has them.
        with open(SOURCE) as source:
            lines = {number: line.strip() for number, line in enumerate(source, 1)}
        sites = re.findall(r"(MPI_\w+) in main at traced.c:(\d+)", shown.stdout)
        self.assertIn("MPI_Barrier", [function for function, _ in sites])
        self.assertIn("MPI_Recv", [function for function, _ in sites])
        for function, line in sites:
            self.assertIn(function + "(", lines[int(line)])

    def test_the_page_shows_lines_memory_and_machines(self):
        page = os.path.join(self.traces, "page.html")
        job = run("--report", page, "-n", "3", PROGRAM, str(STEPS))
        self.assertEqual((job.code, job.err), (0, ""))
        with open(page) as file:
            text = file.read()
        self.assertRegex(text, r"<td>MPI_Barrier in main at traced.c:\d+</td>")
        self.assertRegex(text, r"<td>rank 2</td><td>[\d.]+ MiB</td><td>0 B</td>")
        machine = re.search(r"<td>this host</td><td>3</td><td>(\d+)</td>", text)
        self.assertIn(int(machine[1]), range(1, len(os.sched_getaffinity(0)) + 1))

    def test_hosts_send_what_they_have_recorded(self):
        job = self.run_on_hosts("--trace", self.file, "-n", "3", PROGRAM, str(STEPS), hosts="one,two:2")
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(os.listdir(self.traces), ["job.pftrace"])
        shown = subprocess.run([STARLING, "trace", "summary", self.file], capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("3 ranks", shown.stdout)
        self.assertRegex(shown.stdout, r"MPI_Barrier in main at traced.c:\d+ ")

    def expect_bounded(self, job, limit_mib):
        """Watches the files while the job runs: the log is not longer than the limit, nor is the trace, but for the names."""
        most = (limit_mib + 0.1) * 2**20
        longest = 0
        while job.process.poll() is None:
            for name in os.listdir(self.traces):
                try:
                    longest = max(longest, os.path.getsize(os.path.join(self.traces, name)))
                except OSError:
                    pass
            time.sleep(0.005)
        job.finish()
        self.assertEqual(job.code, 0, job.err)
        self.assertRegex(job.err, r"trace: [\d,]+ events were left out, for the recording had reached its limit")
        self.assertLess(longest, most)
        self.assertEqual(os.listdir(self.traces), ["job.pftrace"])
        self.assertLess(os.path.getsize(self.file), most)
        self.assertGreater(longest, most / 4)

    def test_a_recording_is_not_longer_than_its_limit(self):
        self.expect_bounded(Job("--trace", self.file, "--trace-calls", "all", "--trace-limit", "1", "-n", "3", PROGRAM, "3000"),
                            1)

    def test_the_hosts_of_a_job_share_the_limit(self):
        self.expect_bounded(self.job_on_hosts("--trace", self.file, "--trace-calls", "all", "--trace-limit", "2", "-n", "3",
                                              PROGRAM, "3000", hosts="one,two:2"), 2)

    def test_a_full_disk_is_said_and_the_job_goes_well(self):
        """The file lies on a device that is always full, what is recorded lies elsewhere."""
        for option in ("--trace", "--report"):
            os.symlink("/dev/full", self.file)
            job = run(option, self.file, "-n", "2", PROGRAM, str(STEPS))
            self.assertEqual(job.code, 0)
            self.assertRegex(job.err, rf"\Astarling: {self.file} cannot be written: No space left on device. What was recorded "
                                      rf"is in {self.file}.log: 'starling trace convert {self.file}.log .*' makes it into a trace."
                                      r"\n\Z")
            made = os.path.join(self.traces, "made")
            done = subprocess.run([STARLING, "trace", "convert", self.file + ".log", made], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(os.path.getsize(made), 1000)
            for name in os.listdir(self.traces):
                os.unlink(os.path.join(self.traces, name))

    @unittest.skipUnless(os.geteuid() == 0, "only root can make a disk that is full")
    def test_a_disk_that_becomes_full_while_the_job_runs_is_said(self):
        script = f"mount -t tmpfs -o size=20k none {self.traces} && exec \"$@\""
        said = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh", MPIEXEC, "--trace",
                               self.file, "--trace-calls", "all", "-n", "2", PROGRAM, "200"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn(f"starling: the trace cannot be recorded in {self.file}.log: No space left on device. The trace ends "
                      "there.\n", said.stderr)

    def test_a_place_that_takes_no_file_is_refused_before_the_job_runs(self):
        job = run("--trace", "/no/such/folder/trace", "-n", "2", "touch", os.path.join(self.traces, "ran"))
        self.assertEqual(job.code, 2)
        self.assertIn("/no/such/folder", job.err)
        self.assertEqual(os.listdir(self.traces), [])


if __name__ == "__main__":
    main()
