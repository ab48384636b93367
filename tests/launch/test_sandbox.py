# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sandboxes that refuse system calls: the job runs, or mpiexec says what is refused; it never hangs and never spins."""
import errno
import os
import resource
import signal
import subprocess
import time
import unittest

from launch_support import BIN, MPIEXEC, PROBE, SANITIZED, LaunchTest, main

REFUSE = os.path.join(BIN, "launch_refuse")
REFUSALS = (errno.EPERM, errno.ENOSYS)

# What mpiexec and the ranks can do without.
OPTIONAL = ["signalfd4", "epoll_create1", "epoll_ctl", "epoll_wait", "eventfd2", "pidfd_open", "memfd_create", "fallocate",
            "getrandom", "membarrier", "futex_waitv", "process_vm_readv", "sched_setaffinity", "setpgid", "prctl",
            "sigaltstack", "madvise", "rt_sigtimedwait"]
# What they cannot.
NEEDED = ["socketpair", "pipe2", "clone", "ftruncate"]
# A profile of its own kind: all that came after the first container runtimes.
MODERN = "signalfd4,epoll_create1,eventfd2,pidfd_open,memfd_create,membarrier,futex_waitv,process_vm_readv"


def start(calls, refusal, *arguments):
    return subprocess.Popen([REFUSE, str(refusal), calls, MPIEXEC, *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@unittest.skipIf(SANITIZED, "the sanitizers' own start-up needs some of these calls")
class Sandbox(LaunchTest):
    def run_in(self, calls, refusal, *arguments):
        process = start(calls, refusal, *arguments)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"{calls} refused: mpiexec hangs")
        if process.returncode == 77:
            self.skipTest("no sandbox can be made here")
        return process.returncode, out, err

    def test_what_is_optional_is_done_without(self):
        for calls in [*OPTIONAL, MODERN]:
            for refusal in REFUSALS:
                with self.subTest(calls=calls, refusal=refusal):
                    code, out, err = self.run_in(calls, refusal, "-n", "2", PROBE)
                    self.assertEqual((code, sorted(line[:11] for line in out.splitlines())),
                                     (0, ["rank 0 of 2", "rank 1 of 2"]), err)

    def test_what_is_needed_is_named(self):
        for calls in NEEDED:
            for refusal in REFUSALS:
                with self.subTest(calls=calls, refusal=refusal):
                    code, _, err = self.run_in(calls, refusal, "-n", "2", PROBE)
                    self.assertNotEqual(code, 0)
                    self.assertIn("starling: ", err)
                    self.assertIn(os.strerror(refusal), err)

    def test_a_failed_rank_ends_the_job_as_ever(self):
        for refusal in REFUSALS:
            code, _, err = self.run_in(MODERN, refusal, "-n", "3", PROBE, "exit", "1", "3")
            self.assertEqual(code, 3, err)
            self.assertIn("exit status 3 and without MPI_Finalize", err)

    def test_an_mpi_process_killed_behind_a_script_is_noticed(self):
        script = f'{PROBE} hang & child=$!; [ $STARLING_JOB_RANK = 1 ] && {{ sleep 0.3; kill -9 $child; }}; sleep 60'
        code, _, err = self.run_in(MODERN, errno.EPERM, "-n", "2", "sh", "-c", script)
        self.assertEqual(code, 1)
        self.assertIn("rank 1 ", err)

    def test_signals_arrive_and_waiting_does_not_spin(self):
        for calls in ("signalfd4", "epoll_create1", "epoll_wait", MODERN):
            with self.subTest(calls=calls):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                process = start(calls, errno.EPERM, "-n", "2", "sleep", "60")
                time.sleep(2)
                process.send_signal(signal.SIGTERM)
                _, err = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 143, err)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                self.assertLess(used, 1, "a launcher that spins takes the two seconds")


if __name__ == "__main__":
    main()
