# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling ps and starling why on programs that hang (hang.c): the exact sentence that is said of each."""
import os
import re
import subprocess
import time
import unittest

BIN = os.environ.pop("STARLING_BIN", "") or os.path.join(os.path.dirname(__file__), "../../build/release/bin")
MPIEXEC = os.path.join(BIN, "mpiexec")
STARLING = os.path.join(BIN, "starling")
HANG = os.path.join(BIN, "observe_hang")
SOURCE = os.path.join(os.path.dirname(__file__), "hang.c")


def starling(*arguments):
    return subprocess.run([STARLING, *arguments], capture_output=True, text=True, timeout=60)


def position(name):
    with open(SOURCE) as file:
        for number, line in enumerate(file, 1):
            if f"position: {name}" in line:
                return f"hang.c:{number}"
    raise AssertionError(name)


def first_line(said):
    """The sentence; the launcher knows only after a second for how long a rank has been outside MPI."""
    return re.sub(r"has been outside MPI for \d+(\.\d)? s", "is outside MPI", said.stdout.split("\n")[0])


class Hanging:
    """A job that hangs, and is ended when its test is over."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([MPIEXEC, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=30)

    def why(self, *options):
        return starling("why", *options, str(self.process.pid))


class Why(unittest.TestCase):
    maxDiff = None

    def expect(self, sentence, ranks, *program, options=("--quick",), lines=()):
        """The sentence, and lines that match, may take a while: the ranks have to come where they hang."""
        with Hanging("-n", str(ranks), HANG, *program) as job:
            return self.expect_of(job, sentence, options, lines)

    def expect_of(self, job, sentence, options=("--quick",), lines=()):
        deadline = time.monotonic() + 20
        while True:
            said = job.why(*options)
            is_said = first_line(said) == sentence and all(re.search(line, said.stdout) for line in lines)
            if is_said or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        self.assertEqual(first_line(said), sentence, said.stdout + said.stderr)
        self.assertEqual(said.returncode, 0)
        for line in lines:
            self.assertRegex(said.stdout, line)
        return said.stdout

    def test_names_a_ring_of_receives(self):
        said = self.expect("deadlock: 0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7; "
                           "3 and 4 wait for them in MPI_Barrier", 5, "ring")
        self.assertRegex(said, r"  rank 0 +waits in MPI_Recv with tag 7, for 1 \(\d+\.\d s\)\n")
        self.assertRegex(said, r"  ranks 3 and 4 +wait in MPI_Barrier, its number 1, for 0 to 2 \(\d+\.\d s\)\n")

    def test_names_synchronous_sends_to_each_other(self):
        self.expect("deadlock: 0 waits for 1, 1 for 0, both in MPI_Ssend with tag 3", 2, "sends")

    def test_follows_a_receive_from_any_source(self):
        self.expect("deadlock: 0 waits for 1 or 2 in MPI_Recv with tag 7, 1 for 0 in MPI_Recv with tag 8, "
                    "2 for 0 in MPI_Recv with tag 8", 3, "any")

    def test_follows_waitall(self):
        self.expect("deadlock: 0 waits for 1 in MPI_Waitall with tag 4, 1 for 0 in MPI_Recv with tag 9; "
                    "2 waits for them in MPI_Barrier", 3, "waitall")

    def test_follows_communicators_by_name(self):
        self.expect("deadlock: 0 waits for 2 in MPI_Barrier on 'even', 2 for 0 in MPI_Barrier; "
                    "1 and 3 wait for them in MPI_Barrier", 4, "halves")

    def test_names_a_rank_that_is_in_finalize(self):
        self.expect("deadlock: 0 waits for 1 in MPI_Recv with tag 7, 1 for 0 in MPI_Finalize", 2, "finalize")

    def test_names_other_roots(self):
        self.expect("ranks 0 to 3 called MPI_Bcast with root 0, rank 4 with root 1", 5, "roots")

    def test_names_other_roots_though_a_rank_has_gone_on(self):
        self.expect("ranks 0 and 2 called MPI_Reduce with root 2, rank 1 with root 1", 3, "parted",
                    lines=[r"\n  rank 0 +waits in MPI_Barrier, its number 2, for 1 and 2 "])

    def test_names_the_missing_rank_and_its_line(self):
        said = self.expect(f"rank 2 is missing in MPI_Allreduce number 51 on 'solver'; it is outside MPI, at "
                           f"{position('missing')}", 4, "missing", options=())
        self.assertRegex(said, rf"\n  rank 2 +is outside MPI, at {position('missing')}( \(\d+\.\d s\))?\n")

    def test_names_a_loop_of_tests(self):
        self.expect(f"0 waits for 1 in MPI_Recv with tag 7; 1 is in a loop of MPI_Test that gets nowhere for 0, at "
                    f"{position('test_loop')}", 2, "test", options=())

    def test_names_the_line_of_a_rank_that_computes_inside_of_a_call(self):
        self.expect("0 waits for 1 in MPI_Recv with tag 7; 1 is in MPI_Reduce_local, at "
                    f"{position('missing')}", 2, "operation", options=())

    def test_names_a_rank_that_has_exited(self):
        with Hanging("-n", "2", HANG, "barrier", ":", "-n", "1", "true") as job:
            self.expect_of(job, "rank 2 is missing in MPI_Barrier number 1 on MPI_COMM_WORLD; it has exited")

    def test_names_a_rank_that_has_not_begun(self):
        with Hanging("-n", "2", HANG, "barrier", ":", "-n", "1", HANG, "barrier", "late") as job:
            self.expect_of(job, "rank 2 is missing in MPI_Barrier number 1 on MPI_COMM_WORLD; it has not reached "
                                "MPI_Init")

    def test_says_no_deadlock_of_a_job_that_goes_on(self):
        with Hanging("-n", "4", HANG, "healthy") as job:
            looks = 0
            while job.process.poll() is None:
                said = job.why("--quick")
                self.assertNotIn("deadlock", said.stdout)
                looks += said.returncode == 0
            self.assertGreater(looks, 3)


class WhyRefuses(unittest.TestCase):
    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_a_job_of_another_user(self):
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", STARLING]
        if subprocess.run([*nobody, "ps"], capture_output=True, timeout=60).returncode != 0:
            self.skipTest("others may not read this folder")
        with Hanging("-n", "2", HANG, "sends") as job:
            name = str(job.process.pid)
            deadline = time.monotonic() + 20
            while name not in starling("ps").stdout.split() and time.monotonic() < deadline:
                time.sleep(0.05)
            sentence = "it is a job of user root, whose processes only that user and root may look into"
            for command in ("why", "stack", "top", "doctor"):
                said = subprocess.run([*nobody, command, name], capture_output=True, text=True, timeout=60)
                self.assertEqual((said.stdout, said.stderr, said.returncode),
                                 ("", f"starling {command}: job {name} cannot be looked into: {sentence}\n", 1))
            listed = subprocess.run([*nobody, "ps"], capture_output=True, text=True, timeout=60)
            self.assertRegex(listed.stdout, rf"(?m)^ *{name} .*{sentence}$")

    def test_a_job_that_does_not_run(self):
        said = starling("why", "1")
        self.assertEqual(said.stderr, "starling why: no job 1 runs on this machine; 'starling ps' lists those that do\n")
        self.assertEqual(said.returncode, 1)

    def test_several_jobs(self):
        with Hanging("-n", "2", HANG, "sends") as one, Hanging("-n", "2", HANG, "sends") as other:
            wanted = {str(one.process.pid), str(other.process.pid)}
            deadline = time.monotonic() + 20
            while not wanted <= set(starling("ps").stdout.split()) and time.monotonic() < deadline:
                time.sleep(0.05)
            said = starling("why")
            self.assertEqual(said.returncode, 1)
            found = re.fullmatch(r"starling why: (\d+) jobs run on this machine; name one of them: (\d+ \(.+)\n", said.stderr)
            self.assertIsNotNone(found, said.stderr)
            # Jobs of other tests run beside these two, also with other launchers, and of many only some are named.
            self.assertGreaterEqual(int(found[1]), 2)
            for job in wanted:
                if f"{job} (" in found[2] or int(found[1]) == 2:
                    self.assertRegex(found[2], rf"\b{job} \([^)]*mpiexec -n 2 ")


class Ps(unittest.TestCase):
    def test_lists_a_job_with_its_state(self):
        with Hanging("-n", "2", HANG, "sends") as job:
            pattern = rf"(?m)^ *{job.process.pid} +2 +\d+\.\d s  deadlock   rank [01], \d+\.\d s in MPI_Ssend with tag 3$"
            deadline = time.monotonic() + 20
            said = starling("ps")
            while not re.search(pattern, said.stdout) and time.monotonic() < deadline:
                time.sleep(0.05)
                said = starling("ps")
            self.assertRegex(said.stdout, pattern)
            self.assertEqual(said.returncode, 0)


if __name__ == "__main__":
    unittest.main()
