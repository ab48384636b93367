# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling doctor JOB on programs that have a trouble (load.c), and on a healthy one. tests/observe/figures has the checks
that a test cannot provoke on any machine."""
import contextlib
import itertools
import os
import subprocess
import tempfile
import threading
import time
import unittest

BIN = os.environ.get("STARLING_BIN", "") or os.path.join(os.path.dirname(__file__), "../../build/release/bin")
MPIEXEC = os.path.join(BIN, "mpiexec")
STARLING = os.path.join(BIN, "starling")
LOAD = os.path.join(BIN, "observe_load")
PATIENCE_S = 40


def doctor(*arguments):
    return subprocess.run([STARLING, "doctor", *arguments], capture_output=True, text=True, timeout=60)


class Job:
    """A job that is ended when its test is over."""

    def __init__(self, ranks, *program, launcher=(), **options):
        self.process = subprocess.Popen([MPIEXEC, *launcher, "-n", str(ranks), LOAD, *program], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "TEST_JOB": str(id(self))}, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_S)

    def ranks(self):
        """The processes of its ranks, as far as they have begun."""
        found = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{process}/comm") as file:
                if file.read().strip() == "observe_load":
                    with open(f"/proc/{process}/environ") as environment:
                        if f"TEST_JOB={id(self)}\0" in environment.read():
                            found.append(int(process))
        return found

    def report_with(self, text):
        """The ranks have to come where the trouble is, and a busy machine may hide it for a while."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            said = doctor("--seconds", "0.6", str(self.process.pid))
            if text in said.stdout or time.monotonic() > deadline:
                return said.stdout + said.stderr


class DoctorOfAJob(unittest.TestCase):
    def expect(self, pattern, ranks, *program):
        with Job(ranks, *program) as job:
            first_words = pattern.split(" .*")[0]
            self.assertRegex(job.report_with(first_words), pattern)

    def wait_until_it_watches(self, command):
        """It has mapped the job's segment then, and not only looked through the jobs of the machine."""
        deadline = time.monotonic() + PATIENCE_S
        in_a_row = 0
        while in_a_row < 10 and time.monotonic() < deadline:
            with open(f"/proc/{command.pid}/maps") as maps:
                in_a_row = in_a_row + 1 if "starling-job" in maps.read() else 0
            time.sleep(0.05)

    def test_finds_nothing_in_a_healthy_job(self):
        with Job(2, "healthy") as job:
            said = job.report_with("nothing found")
        self.assertRegex(said, rf"^job {job.process.pid}, 2 ranks, watched for \d\.\d s: .*observe_load healthy\n"
                         r"nothing found: no trouble with throttling, swap, threads, .* or huge pages\n$")

    def test_finds_threads_beyond_the_cores(self):
        ranks = max(2, len(os.sched_getaffinity(0)) // 2)
        self.expect("note threads .*threads at once.*\n .*OMP_NUM_THREADS=1", ranks, "threads")

    def test_finds_the_late_rank(self):
        self.expect("note late rank .*rank 1 is the one that others wait for.*\n .*starling stack -r 1", 2, "late")

    def test_finds_ranks_that_move_though_they_could_be_bound(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("one core is no choice")
        with Job(2, "late", launcher=("--bind-to", "none")) as job:
            over = threading.Event()

            def move():
                """What the kernel does of itself on a machine with other work."""
                for core in itertools.cycle(cores[:2]):
                    for allowed in ({core}, cores):
                        for rank in job.ranks():
                            with contextlib.suppress(OSError):
                                os.sched_setaffinity(rank, allowed)
                    if over.wait(0.12):
                        return
            mover = threading.Thread(target=move)
            mover.start()
            try:
                said = job.report_with("note binding")
            finally:
                over.set()
                mover.join()
        self.assertRegex(said, r"note binding .*(rank [01] is|ranks 0 and 1 are) not bound, and moves? from core to core up to "
                               r"\d+ times a second, though there is a core for each\.\n .*mpiexec --bind-to core'")

    def test_finds_a_loop_of_tests(self):
        self.expect("note test loops .*rank 1 calls MPI_Test again and again", 2, "tests")

    def test_finds_small_messages(self):
        self.expect("note small messages .*rank 0 sends up to .* messages a second, of 8 bytes", 2, "small")

    def test_says_that_a_job_is_stuck(self):
        with Job(2, "both") as job:
            said = job.report_with("note stuck")
        self.assertIn("deadlock: 0 waits for 1, 1 for 0, both in MPI_Recv with tag 7.", said)
        self.assertIn(f"'starling why {job.process.pid}' says more.", said)

    def wait_until_throttled(self, folder):
        """In a fifth of all periods: doctor looks at the last ones, and the page at all, of which a slow start has many."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            with open(os.path.join(folder, "cpu.stat")) as file:
                counts = dict(line.split() for line in file)
            if int(counts["nr_throttled"]) * 5 >= int(counts["nr_periods"]):
                return
            self.assertLess(time.monotonic(), deadline, f"the group is hardly throttled: {counts}")
            time.sleep(0.1)

    def test_finds_a_throttled_control_group(self):
        # The shares give the group its whole quota, and so the throttling, beside any number of other programs.
        folder = f"/sys/fs/cgroup/cpu/starling-test-{os.getpid()}"
        try:
            os.mkdir(folder)
            for name, value in (("cpu.shares", "262144"), ("cpu.cfs_quota_us", "20000")):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(value)
        except OSError as error:
            if os.path.isdir(folder):
                os.rmdir(folder)
            self.skipTest(f"no control group with a quota can be made here: {error}")

        def enter():
            with open(os.path.join(folder, "cgroup.procs"), "w") as file:
                file.write(str(os.getpid()))
        try:
            with tempfile.TemporaryDirectory() as pages:
                page = os.path.join(pages, "page.html")
                with Job(2, "threads", launcher=("--report", page), preexec_fn=enter) as job:
                    said = job.report_with("note throttling")
                    self.wait_until_throttled(folder)
                with open(page) as file:
                    self.assertRegex(file.read(), r"which allows 0\.20 cores, stopped them in \d+ % of its periods\.")
            self.assertRegex(said, rf"note throttling +the control group {folder}, which allows 0\.20 cores, has stopped "
                             r"its processes in \d+ % of its periods\.\n")
        finally:
            deadline = time.monotonic() + PATIENCE_S
            while os.path.isdir(folder) and time.monotonic() < deadline:
                try:
                    os.rmdir(folder)
                except OSError:
                    time.sleep(0.05)

    def test_ends_with_the_job(self):
        with Job(2, "stuck") as job:
            job.report_with("watched")
            command = subprocess.Popen([STARLING, "doctor", "--seconds", "60", str(job.process.pid)],
                                       stdout=subprocess.PIPE, text=True)
            self.wait_until_it_watches(command)
            job.process.terminate()
            self.assertEqual(command.communicate(timeout=PATIENCE_S)[0], f"job {job.process.pid} has ended\n")
            self.assertEqual(command.returncode, 0)

    def test_refuses_what_is_no_job(self):
        said = doctor("1")
        self.assertEqual(said.stderr,
                         "starling doctor: no job 1 runs on this machine; 'starling ps' lists those that do\n")
        self.assertEqual(said.returncode, 1)


if __name__ == "__main__":
    unittest.main()
