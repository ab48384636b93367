# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that crash, throw, abort or leave: the report, the exit status, and an end of the whole job at once."""
import time
import unittest

from launch_support import PROBE, SANITIZED, STUCK, LaunchTest, main, run


class Failures(LaunchTest):
    def fails(self, code, *arguments):
        started = time.monotonic()
        job = run(*arguments)
        self.assertEqual(job.code, code, job.err)
        self.assertLess(time.monotonic() - started, 10, "the job did not end at once")
        self.assert_clean(job)
        return job.err

    @unittest.skipIf(SANITIZED, "the sanitizer handles the signal itself")
    def test_a_crash_is_reported_with_rank_signal_address_and_stack(self):
        report = self.fails(139, "-n", "4", PROBE, "segv", "2")
        for words in ("rank 2 ", "SIGSEGV", "at address 0x10", "write_through", "launch_probe.cpp:", "main"):
            self.assertIn(words, report)
        self.assertLess(report.index("write_through"), report.index(" main "))

    @unittest.skipIf(SANITIZED, "the sanitizer handles the signal itself")
    def test_a_call_through_null_names_the_caller(self):
        self.assertIn("die_of", self.fails(139, "-n", "2", PROBE, "null_call", "0"))

    @unittest.skipIf(SANITIZED, "the sanitizer handles the signal itself")
    def test_an_exhausted_stack_is_reported(self):
        self.assertIn("recurse_for_ever", self.fails(139, "-n", "2", PROBE, "overflow", "1"))

    @unittest.skipIf(SANITIZED, "the sanitizer handles the signal itself")
    def test_an_uncaught_exception_is_reported_with_its_text(self):
        report = self.fails(134, "-n", "3", PROBE, "throw", "1")
        for words in ("rank 1 ", "SIGABRT", "std::runtime_error: the matrix is singular", "die_of"):
            self.assertIn(words, report)

    def test_an_abort_of_the_job_gives_its_code_and_text(self):
        report = self.fails(5, "-n", "4", PROBE, "mpi_abort", "3", "5")
        self.assertIn("rank 3 ", report)
        self.assertIn("ended the job with code 5", report)
        self.assertIn("no more food", report)

    def test_an_abort_code_that_would_read_as_success_is_a_failure(self):
        self.fails(1, "-n", "2", PROBE, "mpi_abort", "0", "256")

    def test_when_all_ranks_abort_one_is_reported(self):
        self.assertEqual(self.fails(7, "-n", "4", PROBE, "mpi_abort", "-1", "7").count("ended the job"), 1)

    def test_a_rank_that_exits_early_ends_the_job(self):
        report = self.fails(3, "-n", "4", PROBE, "exit", "1", "3")
        self.assertIn("exit status 3 and without MPI_Finalize", report)

    def test_a_rank_that_forgets_finalize_is_told(self):
        self.assertIn("without MPI_Finalize", self.fails(1, "-n", "2", PROBE, "exit", "0", "0"))

    def test_a_bad_exit_after_finalize_only_marks_the_status(self):
        job = run("-n", "3", PROBE, "late_exit", "-1", "4")
        self.assertEqual((job.code, job.err), (4, ""))

    def test_a_plain_program_that_fails_ends_the_job(self):
        report = self.fails(9, "-n", "2", "sh", "-c", '[ $STARLING_JOB_RANK = 1 ] && exit 9; sleep 60')
        self.assertIn("rank 1 (sh,", report)

    def test_a_rank_killed_from_outside_is_reported(self):
        report = self.fails(137, "-n", "2", "sh", "-c", '[ $STARLING_JOB_RANK = 1 ] && kill -9 $$; sleep 60')
        self.assertIn("SIGKILL", report)

    def test_ranks_that_ignore_sigterm_are_killed_after_the_grace_time(self):
        started = time.monotonic()
        job = run("-n", "3", "sh", "-c", '[ $STARLING_JOB_RANK = 0 ] && exit 6; trap "" TERM; sleep 60; sleep 60',
                  environment={"STARLING_LAUNCH_GRACE_MS": "200"})
        self.assertEqual(job.code, 6)
        self.assertLess(time.monotonic() - started, 10)
        self.assert_clean(job)

    def test_an_mpi_process_killed_behind_a_script_is_noticed(self):
        script = f'{PROBE} hang & child=$!; [ $STARLING_JOB_RANK = 1 ] && {{ sleep 0.3; kill -9 $child; }}; sleep 60'
        self.assertIn("rank 1 ", self.fails(1, "-n", "2", "sh", "-c", script))

    def test_the_time_limit_ends_the_job_with_124(self):
        report = self.fails(124, "-n", "3", "--timeout", "0.3", PROBE, "hang")
        self.assertIn("--timeout", report)

    def test_the_time_limit_says_who_waits_for_whom(self):
        report = self.fails(124, "-n", "3", "--timeout", "2", STUCK)
        self.assertRegex(report, r"  rank 0  waits in MPI_Recv with tag 7, for 2 \(\d+\.\d s\)\n")
        self.assertRegex(report, r"  rank 1  waits in MPI_Barrier, its number 1, for 0 and 2 \(\d+\.\d s\)\n")
        self.assertRegex(report, r"  rank 2  is outside MPI")

    def test_a_rank_without_mpi_among_others_is_noted(self):
        job = run("-n", "2", "--timeout", "1", "sh", "-c", f'[ $STARLING_JOB_RANK = 1 ] && sleep 0.5 && exit 0; exec {PROBE} hang')
        self.assertIn("rank 1 (sh) has ended without MPI_Init", job.err)


if __name__ == "__main__":
    main()
