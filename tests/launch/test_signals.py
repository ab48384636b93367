# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Signals to mpiexec, and what waiting costs."""
import os
import signal
import subprocess
import time

from launch_support import MPIEXEC, PROBE, Job, LaunchTest, children_of, main, stat_of

TELL_SIGNALS = """
import signal, sys
signal.signal(signal.SIGUSR1, lambda *_: print("USR1", flush=True))
signal.signal(signal.SIGINT, lambda *_: (print("INT"), sys.exit(0)))
print("ready", flush=True)
while True: signal.pause()
"""

END_GENTLY = """
import signal, sys, time
def save(*_):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(0.5)
    print("saved")
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
signal.signal(signal.SIGINT, save)
print("ready", flush=True)
while True: signal.pause()
"""

# No shell: one that has just begun to start a program cannot be stopped until that is done.
SLEEP_A_LITTLE = """
import time
print("ready", flush=True)
time.sleep(3)  # others begin meanwhile, also on a busy machine
print("over")
"""


# In a session of its own, as under nohup or CTest without a terminal: nobody outside its process group can continue what
# is stopped there. When the last one ends that has a parent outside, the system sends SIGHUP to all of the group.
STOPPED_NEIGHBOUR = """
import os, signal, subprocess, sys
neighbour = subprocess.Popen(["sleep", "60"])
os.kill(neighbour.pid, signal.SIGSTOP)
os.waitid(os.P_PID, neighbour.pid, os.WSTOPPED)
code = subprocess.run(sys.argv[1:]).returncode
neighbour.kill()
print("ended with", code)
"""


def ignore_hangup():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def ignore_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


class Signals(LaunchTest):
    def ready(self, job, ranks):
        self.expect_lines(job, ranks, "ready\n")

    def expect_lines(self, job, count, line):
        for _ in range(count):
            self.assertEqual(job.process.stdout.readline(), line)

    def test_the_end_of_a_lone_rank_signals_no_neighbour(self):
        done = subprocess.run(["python3", "-c", STOPPED_NEIGHBOUR, MPIEXEC, "-n", "1", "true"], start_new_session=True,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "ended with 0\n"), done.stderr)

    def test_each_rank_gets_a_signal_once(self):
        job = Job("-n", "3", "python3", "-c", TELL_SIGNALS)
        self.ready(job, 3)
        job.process.send_signal(signal.SIGUSR1)
        self.expect_lines(job, 3, "USR1\n")
        time.sleep(0.2)  # for a second one
        job.process.send_signal(signal.SIGINT)
        job.finish()
        self.assertEqual((job.code, job.out), (0, "INT\n" * 3))

    def test_an_interrupt_ends_ranks_without_a_handler(self):
        job = Job("-n", "3", PROBE, "hang")
        job.wait_for_processes(5)
        job.process.send_signal(signal.SIGINT)
        job.finish(10)
        self.assertEqual((job.code, job.err), (130, ""))
        self.assert_clean(job)

    def test_termination_is_passed_on(self):
        job = Job("-n", "2", PROBE, "hang")
        job.wait_for_processes(4)
        job.process.terminate()
        self.assertEqual(job.finish(10).code, 143)
        self.assert_clean(job)

    def test_what_was_ignored_at_the_start_stays_ignored(self):
        job = Job("-n", "2", "sh", "-c", "echo ready; sleep 0.6; echo over", before=ignore_hangup)
        self.ready(job, 2)
        job.process.send_signal(signal.SIGHUP)
        self.assertEqual(job.finish(10).out, "over\nover\n")

    def test_a_parent_that_ignores_its_children_loses_no_exit_status(self):
        job = Job("-n", "2", "sh", "-c", "exit 3", before=ignore_children)
        self.assertEqual(job.finish(10).code, 3)

    def test_one_wish_that_comes_as_several_signals_is_asked_once(self):
        # As from `timeout`, which signals a process and then its group, and from a shell that passes Ctrl-C on.
        for second in (signal.SIGTERM, signal.SIGINT):
            job = Job("-n", "2", "python3", "-c", END_GENTLY)
            self.ready(job, 2)
            job.process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
            job.process.send_signal(second)
            job.finish(30)
            self.assertEqual((job.code, job.out, job.err), (0, "saved\nsaved\n", ""))

    def test_timeout_ends_a_job_gently(self):
        # Two programs in Python begin within that time, also on a busy machine.
        done = subprocess.run(["timeout", "6", MPIEXEC, "-n", "2", "python3", "-c", END_GENTLY], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("ready\nready\nsaved\nsaved\n", ""))

    def test_a_second_interrupt_kills_ranks_that_ignore_the_first(self):
        job = Job("-n", "2", "sh", "-c", 'trap "" INT; echo ready; sleep 60; sleep 60')
        self.ready(job, 2)
        job.process.send_signal(signal.SIGINT)
        time.sleep(1.2)  # within a second the two would be one wish
        self.assertIsNone(job.process.poll())
        job.process.send_signal(signal.SIGINT)
        self.assertEqual(job.finish(10).code, 130)
        self.assert_clean(job)

    def test_the_job_stops_and_continues_as_a_whole(self):
        job = Job("-n", "2", "python3", "-c", SLEEP_A_LITTLE)
        self.ready(job, 2)
        worker = children_of(job.process.pid)[0]
        ranks = children_of(worker)
        job.process.send_signal(signal.SIGTSTP)
        deadline = time.monotonic() + 10
        states = []
        while states != ["T", "T", "T"] and time.monotonic() < deadline:
            time.sleep(0.01)
            states = [stat_of(process)[0] for process in [job.process.pid, *ranks]]
        self.assertEqual(states, ["T", "T", "T"])
        job.process.send_signal(signal.SIGCONT)
        self.assertEqual(job.finish(10).out, "over\nover\n")


class Waiting(LaunchTest):
    def test_a_launcher_that_waits_uses_no_cpu(self):
        job = Job("-n", "8", PROBE, "hang")
        job.wait_for_processes(10)
        time.sleep(0.3)
        launcher = [job.process.pid, *children_of(job.process.pid)]

        def ticks():
            return sum(sum(map(int, stat_of(process)[11:13])) for process in launcher)

        before = ticks()
        time.sleep(1)
        self.assertLessEqual(ticks() - before, 1)
        os.kill(job.process.pid, signal.SIGTERM)
        job.finish(10)


if __name__ == "__main__":
    main()
