# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that other launchers start: by the real ones that are installed, and by one of ours that plays all their parts,
also badly."""
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from fake_launcher import FakeLauncher
from launch_support import BIN, MPIEXEC, PROBE, SANITIZED, LaunchTest, main

SUM = os.path.join(BIN, "launch_sum")
VERSIONS = (1, 2)


def sums(size, nodes=1):
    return [f"rank {rank} of {size}, sum {size * (size - 1) // 2}, nodes {nodes}" for rank in range(size)]


def begins(out):
    """The lines of launch_sum, without local rank and application."""
    return sorted(line.split(", local")[0] for line in out.splitlines() if line.startswith("rank"))


class PlayedLauncher(LaunchTest):
    def assert_joined(self, job, size, nodes=1):
        self.assertEqual(job.err, "")
        self.assertEqual(begins(job.out), sums(size, nodes))
        self.assertEqual(job.codes, [0] * size)
        self.assertEqual(job.breaches, [])
        self.assertTrue(all(rank.finalized for rank in job.ranks))

    def test_ranks_on_one_node_become_one_job(self):
        for version in VERSIONS:
            with self.subTest(version):
                job = FakeLauncher(version, 4).run(SUM)
                self.assert_joined(job, 4)
                self.assertEqual([rank.out.split("local ")[1] for rank in job.ranks],
                                 [f"{rank}, app {rank % 2}\n" for rank in range(4)])

    def test_nodes_are_those_of_the_mapping(self):
        for version in VERSIONS:
            for mapping, local in (("(vector,(0,2,2))", [0, 1, 0, 1]), ("(vector,(0,2,1))", [0, 0, 1, 1]),
                                   ("(vector,(3,1,1),(1,1,3))", [0, 0, 1, 2])):
                with self.subTest(f"{version} {mapping}"):
                    job = FakeLauncher(version, 4, mapping).run(SUM)
                    self.assert_joined(job, 4, nodes=2)
                    self.assertEqual([int(rank.out.split("local ")[1].split(",")[0]) for rank in job.ranks], local)

    def test_a_program_with_sessions_only_takes_leave_as_well(self):
        self.assert_joined(FakeLauncher(1, 2).run(SUM, "sessions"), 2)

    def test_a_program_that_ends_without_mpi_finalize_does_not_take_leave(self):
        job = FakeLauncher(1, 2).run(PROBE, "exit", "-1", "0")
        self.assertFalse(any(rank.finalized for rank in job.ranks))

    def test_an_abort_reaches_the_launcher_with_its_code(self):
        for version, told in ((1, "9"), (2, "no more food")):
            with self.subTest(version):
                job = FakeLauncher(version, 2).run(PROBE, "mpi_abort", "1", "9")
                self.assertEqual([rank.aborted for rank in job.ranks], [None, told])
                self.assertEqual(job.codes, [-9, 9])
                self.assertIn("rank 1 of 2", job.err)
                self.assertIn("no more food", job.err)

    def test_of_several_aborts_the_first_is_told(self):
        job = FakeLauncher(1, 3).run(PROBE, "mpi_abort", "-1", "9")
        self.assertEqual(sorted(str(rank.aborted) for rank in job.ranks), ["9", "None", "None"])
        self.assertEqual(job.err.count("no more food"), 1)

    def test_a_dead_rank_ends_a_job_of_pmi_2(self):
        for how in ("exit", "segv"):
            with self.subTest(how):
                job = FakeLauncher(2, 3).run(PROBE, how, "1", "3")
                self.assertEqual(sum(rank.aborted is not None for rank in job.ranks), 1)
                self.assertRegex(job.err, r"rank 1 of 3 \(process \d+\) has died or left without MPI_Finalize, so rank 0 ends")
                self.assertEqual(job.err.count("has died"), 1)

    def without_rank_1(self, version, mapping=None):
        """A job of three, of which rank 1 dies before MPI_Init; this launcher lets the others wait."""
        begin = time.monotonic()
        job = FakeLauncher(version, 3, mapping, environment={"STARLING_INIT_DEADLINE_MS": "700"})
        job.run("sh", "-c", f'[ $PMI_RANK != 1 ] || kill -KILL $$; exec "{SUM}"')
        self.assertLess(time.monotonic() - begin, 15)
        return job

    def test_a_rank_that_does_not_come_to_mpi_init_ends_the_job_at_the_deadline(self):
        for version, call in ((1, "PMI-1, barrier_in"), (2, "PMI-2, kvs-fence")):
            for mapping in (None, "(vector,(0,3,1))"):
                with self.subTest(f"{version} {mapping}"):
                    job = self.without_rank_1(version, mapping)
                    self.assertEqual(job.codes, [1, -9, -9], job.err)
                    self.assertRegex(job.err, r"^starling: rank 0 of 3 \(process \d+\) cannot join its job, which ends: it has "
                                     rf"waited 0.7 s for the other ranks to come to MPI_Init \({call}\): one of them has died or "
                                     r"was not started\. 'srun --kill-on-bad-exit=1' .*STARLING_INIT_DEADLINE_MS .*\n$")
                    self.assertIsNotNone(job.ranks[0].aborted)
                    self.assertNotIn(";", job.ranks[0].aborted)
                    self.assertEqual(job.breaches, [])

    def test_a_deadline_that_is_not_possible_is_an_error_of_mpi_init(self):
        for asked in (-1, 2**63 - 1):
            job = FakeLauncher(2, 2, environment={"STARLING_INIT_DEADLINE_MS": str(asked)}).run(SUM)
            self.assertIn(f"STARLING_INIT_DEADLINE_MS={asked} is not possible: it takes 1 to 86400000 milliseconds", job.err)
            self.assertNotIn(0, job.codes)

    def test_ranks_that_come_late_are_waited_for(self):
        job = FakeLauncher(2, 2, environment={"STARLING_INIT_DEADLINE_MS": "20000"})
        job.run("sh", "-c", f'[ $PMI_RANK != 1 ] || sleep 1; exec "{SUM}"')
        self.assert_joined(job, 2)

    def test_a_launcher_that_is_silent_is_told_from_missing_ranks(self):
        job = FakeLauncher(2, 2, change=lambda rank, asked, _: b"    " if asked == "kvs-put" else None,
                           environment={"STARLING_INIT_DEADLINE_MS": "300"}).run(SUM)
        self.assertIn("no longer answers: nothing has come from it for 0.3 s", job.err)

    def test_a_killed_rank_alone_on_its_node_ends_a_job_of_pmi_2(self):
        for how in ("kill", "kill_early"):
            with self.subTest(how):
                begin = time.monotonic()
                job = FakeLauncher(2, 2, "(vector,(0,2,1))").run(SUM, how)
                self.assertLess(time.monotonic() - begin, 10)
                self.assertEqual(job.codes, [1, -9], job.err)
                self.assertRegex(job.err, r"starling: rank 0 of 2 \(process \d+\) ended its job with code 1: .*rank 1")
                self.assertIn("rank 1", job.ranks[0].aborted)

    @unittest.skipIf(SANITIZED, "the sanitizer handles the signal itself")
    def test_a_crash_reports_itself_with_its_rank(self):
        job = FakeLauncher(1, 2).run(PROBE, "segv")
        self.assertEqual(job.codes, [-11] * 2)
        self.assertRegex(job.ranks[1].err, r"rank 1 of 2\) died of SIGSEGV")

    def test_a_program_that_a_rank_starts_is_no_rank(self):
        job = FakeLauncher(1, 2).run(PROBE, "system", f"{PROBE}; env")
        self.assertEqual(job.out.count("rank 0 of 1"), 2, job.out)
        self.assertEqual(job.err.count("was started by rank"), 2, job.err)
        self.assertNotIn("PMI_", job.out)

    def test_a_job_of_our_launcher_below_another_hides_that_one(self):
        job = FakeLauncher(1, 2).run(MPIEXEC, "-n", "2", PROBE, "system", f"{PROBE}; env")
        self.assertEqual(job.out.count("rank 0 of 1"), 4, job.out)
        self.assertEqual(job.err.count("was started by rank"), 4, job.err)
        self.assertNotIn("PMI_", job.out)
        self.assertEqual([rank.requests for rank in job.ranks], [[], []])

    def test_survival_is_our_launchers_and_rank_0_says_so(self):
        job = FakeLauncher(1, 2, environment={"STARLING_FT": "1"}).run(SUM)
        self.assertEqual(begins(job.out), sums(2))
        self.assertEqual(job.err.count("mpiexec --survive"), 1, job.err)

    def test_one_process_alone_asks_nothing(self):
        job = FakeLauncher(1, 1).run(PROBE)
        self.assertEqual((job.out[:11], job.err, job.ranks[0].requests), ("rank 0 of 1", "", []))

    def test_the_second_program_of_a_script_says_why_it_is_alone(self):
        job = FakeLauncher(1, 2).run("sh", "-c", f"{PROBE}; {PROBE}")
        self.assertEqual(sorted(line[:11] for line in job.out.splitlines()),
                         ["rank 0 of 1"] * 2 + ["rank 0 of 2", "rank 1 of 2"])
        self.assertEqual(job.err.count("only the first is one of its ranks"), 2, job.err)

    def test_a_program_without_mpi_asks_nothing(self):
        job = FakeLauncher(1, 2).run("true")
        self.assertEqual([rank.requests for rank in job.ranks], [[], []])


class BadLauncher(LaunchTest):
    """Whatever a launcher answers, a rank ends soon, with a sentence."""

    def assert_ends(self, version, command, answer, words):
        # Two ranks that get the same answer, so that none waits for the other.
        job = FakeLauncher(version, 2, change=lambda rank, asked, _: answer if asked == command else None)
        begin = time.monotonic()
        job.run(PROBE, limit_s=20)
        self.assertLess(time.monotonic() - begin, 15)
        # The first that speaks may end the other.
        self.assertTrue({1, 99} & set(job.codes) or all("NOT one rank" in rank.err for rank in job.ranks), job.err)
        for rank in job.ranks:
            self.assertTrue(words in rank.err or (rank.code, rank.err) == (-9, ""), (rank.code, rank.err))

    def test_answers_that_make_no_sense(self):
        for command, answer in (
                ("init", b"\n"), ("init", b"cmd=response_to_init rc=-1\n"), ("init", b"cmd=something_else rc=0\n"),
                ("init", b"\0\xff\n"), ("get_my_kvsname", b"cmd=my_kvsname\n"), ("get_appnum", b"rc=0\n"),
                ("get", b"cmd=get_result rc=0\n"), ("get", b"cmd=get_result rc=0 value=(vector,(0,1))\n"),
                ("get", b"cmd=get_result rc=0 value=(vector,(0,0,0))\n"), ("get", b"cmd=get_result rc=0 value=(vector)\n"),
                ("get", b"cmd=get_result rc=0 value=(vector,(0,1,99999999999))\n"),
                ("put", b"cmd=put_result rc=-1 msg=full\n"), ("barrier_in", b"cmd=barrier_in\n")):
            with self.subTest(f"{command} {answer}"):
                self.assert_ends(1, command, answer, "launcher")

    def test_messages_that_make_no_sense(self):
        def framed(text):
            return f"{len(text):6}{text}".encode()

        for command, answer in (
                ("init", b"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"), ("fullinit", b"abcdef"),
                ("fullinit", b"    -1"), ("fullinit", framed("cmd=fullinit-response;rc=0;")),
                ("fullinit", framed("cmd=fullinit-response;rank=5;size=2;rc=0;")), ("fullinit", framed("")),
                ("info-getjobattr", framed("cmd=info-getjobattr-response;found=FALSE;rc=0;")),
                ("kvs-put", framed("cmd=kvs-put-response;rc=14;errmsg=full;")),
                ("kvs-fence", framed("cmd=kvs-put-response;rc=0;")),
                ("kvs-get", framed("cmd=kvs-get-response;found=FALSE;rc=0;")),
                ("kvs-get", framed("cmd=kvs-get-response;found=TRUE;value=1:feed;rc=0;")),
                ("kvs-get", framed("cmd=kvs-get-response;found=TRUE;value=none;rc=0;"))):
            with self.subTest(f"{command} {answer}"):
                self.assert_ends(2, command, answer, "launcher")

    def test_a_line_without_end(self):
        self.assert_ends(1, "init", b"x" * 200_000, "launcher")

    def test_a_launcher_that_dies_at_any_step(self):
        steps = {1: ("init", "get_my_kvsname", "get_appnum", "get", "put", "barrier_in"),
                 2: ("init", "fullinit", "info-getjobattr", "kvs-put", "kvs-fence", "kvs-get")}
        for version, commands in steps.items():
            for command in commands:
                with self.subTest(f"{version} {command}"):
                    self.assert_ends(version, command, b"", "no longer answers")

    def test_a_launcher_that_dies_before_the_end_is_of_no_matter(self):
        job = FakeLauncher(1, 2, change=lambda rank, asked, _: b"" if asked == "finalize" else None).run(PROBE)
        self.assertEqual((job.codes, job.err), ([0, 0], ""))

    def test_a_descriptor_that_is_no_socket_is_not_touched(self):
        with tempfile.TemporaryFile() as file:
            done = subprocess.run([PROBE], pass_fds=[file.fileno()], capture_output=True, text=True, timeout=30,
                                  env=dict(os.environ, PMI_FD=str(file.fileno()), PMI_RANK="1", PMI_SIZE="4"))
            self.assertIn("no socket", done.stderr)
            self.assertEqual(os.fstat(file.fileno()).st_size, 0)


class Pmix(LaunchTest):
    def alone(self, **environment):
        done = subprocess.run([PROBE], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, PMIX_NAMESPACE="job", PMIX_RANK="1", **environment))
        self.assertIn("NOT one rank", done.stderr)
        return done.stderr

    def test_without_a_server_the_process_says_so(self):
        self.assertRegex(self.alone(), "PMIx_Init|built without PMIx|libpmix2")

    def test_without_its_library_the_package_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "libpmix.so.2"), "w"):
                pass
            self.assertRegex(self.alone(LD_LIBRARY_PATH=folder), "libpmix2|built without PMIx")


def real(*names):
    for name in names:
        if shutil.which(name):
            return name
    return None


HYDRA = real("mpiexec.hydra", "mpiexec.mpich")
# PMIx's library leaks, which the sanitizer would call a failure of the program.
OPEN_MPI = None if SANITIZED else real("mpirun.openmpi")


class RealLauncher(LaunchTest):
    ALL = {"hydra, PMI-1": [HYDRA], "hydra, PMI-2": [HYDRA, "-genv", "PMI_JOBID", "1"],
           "Open MPI": [OPEN_MPI, "--oversubscribe", "--allow-run-as-root"]}
    # Hydra's PMI-2 tells all ranks that they are of the first application, and does not know abort.
    WHOLE = {name: words for name, words in ALL.items() if name != "hydra, PMI-2"}

    def check_each(self, check, *arguments, launchers=None):
        """Calls check with what a launcher has done, for each that is installed."""
        found = {name: words for name, words in (launchers or self.ALL).items() if words[0]}
        if not found:
            self.skipTest("neither MPICH's nor Open MPI's launcher is installed (scripts/setup --peers)")
        for name, words in found.items():
            with self.subTest(name):
                check(self.started(words, arguments))

    def started(self, words, arguments):
        """Hydra 4.0.2 writes to its proxy when that has gone, and dies by SIGPIPE: 38 of 7,400 starts of echo on a busy machine.
        So a start of which nothing was seen but that is made again."""
        for again in (words[0] == HYDRA, words[0] == HYDRA, False):
            begin = time.monotonic()
            done = subprocess.run([*words, *arguments], capture_output=True, text=True, timeout=60,
                                  stdin=subprocess.DEVNULL)
            done.seconds = time.monotonic() - begin
            if not again or (done.returncode, done.stdout, done.stderr) != (-signal.SIGPIPE, "", ""):
                return done
            print("hydra has died by SIGPIPE", file=sys.stderr)

    def test_ranks_become_one_job(self):
        self.check_each(lambda done: self.assertEqual((begins(done.stdout), done.returncode, done.stderr), (sums(4), 0, "")),
                        "-n", "4", SUM)

    def test_one_rank_is_a_job(self):
        self.check_each(lambda done: self.assertEqual((begins(done.stdout), done.returncode, done.stderr), (sums(1), 0, "")),
                        "-n", "1", SUM)

    def test_sessions_are_enough(self):
        self.check_each(lambda done: self.assertEqual((begins(done.stdout), done.returncode, done.stderr), (sums(2), 0, "")),
                        "-n", "2", SUM, "sessions")

    def test_applications_are_told_apart(self):
        def check(done):
            self.assertEqual(begins(done.stdout), sums(3), done.stderr)
            self.assertEqual(sorted(line.rsplit(" ", 1)[1] for line in done.stdout.splitlines()), ["0", "0", "1"])

        self.check_each(check, "-n", "2", SUM, ":", "-n", "1", SUM, launchers=self.WHOLE)

    def test_an_abort_ends_the_job_with_its_code(self):
        def check(done):
            self.assertEqual(done.returncode, 9, done.stderr)
            self.assertIn("rank 2 of 3", done.stderr)

        self.check_each(check, "-n", "3", SUM, "abort", launchers=self.WHOLE)

    def test_a_killed_rank_ends_the_job(self):
        def check(done):
            self.assertNotEqual(done.returncode, 0)
            self.assertLess(done.seconds, 20)

        self.check_each(check, "-n", "3", SUM, "kill")


RSH = """#!/bin/sh
# Takes the options and the host away, and runs the rest here, as a host of its own would.
while [ "${1#-}" != "$1" ]; do shift; done
shift
exec sh -c "$*" </dev/null
"""


@unittest.skipUnless(HYDRA, "MPICH's launcher is not installed (scripts/setup --peers)")
class SeveralNodes(LaunchTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.rsh = os.path.join(self.folder.name, "rsh")
        with open(self.rsh, "w") as file:
            file.write(RSH)
        os.chmod(self.rsh, os.stat(self.rsh).st_mode | stat.S_IXUSR)

    def start(self, *words, limit_s=60):
        return subprocess.run([HYDRA, "-launcher", "rsh", "-launcher-exec", self.rsh, "-hosts", "127.0.0.2,127.0.0.3",
                               *words], capture_output=True, text=True, timeout=limit_s, stdin=subprocess.DEVNULL)

    def test_hosts_of_the_launcher_are_nodes(self):
        for options, local in ((("-ppn", "2"), [0, 1, 0, 1]), (("-ppn", "1"), [0, 0, 1, 1])):
            with self.subTest(options):
                done = self.start(*options, "-n", "4", SUM)
                self.assertEqual((begins(done.stdout), done.returncode), (sums(4, nodes=2), 0), done.stderr)
                lines = sorted(line.split("local ")[1] for line in done.stdout.splitlines())
                self.assertEqual(sorted(int(line.split(",")[0]) for line in lines), sorted(local))

    def test_a_killed_rank_ends_the_job_that_the_launcher_may_let_go_on(self):
        done = self.start("-disable-auto-cleanup", "-ppn", "1", "-n", "2", SUM, "kill", limit_s=20)
        self.assertNotEqual(done.returncode, 0)
        # Who is first ends the job: rank 0, which sees its link break, or hydra, which tells rank 0 of the death by SIGUSR1.
        # hydra joins all statuses by OR: 9, or 9 | 10, of which it says "Segmentation fault (signal 11)".
        self.assertRegex(done.stdout + done.stderr,
                         r"rank 0 of 2 \(process \d+\) ended its job with code 1: .*rank 1|TERMINATED .* \(signal (9|11)\)")

    def test_an_abort_ends_the_job_on_both(self):
        done = self.start("-ppn", "2", "-n", "4", SUM, "abort")
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertIn("rank 3 of 4", done.stderr)

    def test_a_killed_rank_ends_the_job_on_both(self):
        begin = time.monotonic()
        done = self.start("-ppn", "2", "-n", "4", SUM, "kill")
        self.assertNotEqual(done.returncode, 0)
        self.assertLess(time.monotonic() - begin, 20)


if __name__ == "__main__":
    main()
