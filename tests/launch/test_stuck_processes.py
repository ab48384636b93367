# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a job that are killed and do not end, as where a device or a file system does not answer: whoever waits for
them takes little processor time meanwhile. A tracer holds them here: a dead process stays a zombie, which its parent
cannot take, until its tracer has."""
import ctypes
import os
import signal
import sys
import time

from launch_support import PROBE, Job, children_of, main, stat_of
from named_hosts import SOON, NamedHostsTest

LIBC = ctypes.CDLL(None, use_errno=True)
PTRACE_SEIZE = 0x4206
WALL = 0x40000000
WATCHED_S = 1.5
MOST_SHARE = 0.08  # of a core


def processor_time(process):
    """In seconds; None where it has ended."""
    try:
        user, system = stat_of(process)[11:13]
    except OSError:
        return None
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def is_dead(process):
    try:
        return stat_of(process)[0] in "ZX"
    except OSError:
        return True


class Held:
    """Processes that do not go when they are killed, until the end of the block. The thread that enters must leave."""

    def __init__(self, test, processes):
        self.test, self.processes = test, processes

    def __enter__(self):
        LIBC.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
        for process in self.processes:
            if LIBC.ptrace(PTRACE_SEIZE, process, None, None) != 0:
                self.test.skipTest("this machine lets nobody trace a process of his own")
        return self

    def __exit__(self, *_):
        for process in self.processes:
            try:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, WALL)
            except OSError:
                pass

    def wait_until_dead(self, limit_s=20):
        deadline = time.monotonic() + limit_s
        while not all(map(is_dead, self.processes)) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.test.assertTrue(all(map(is_dead, self.processes)))


class StuckProcesses(NamedHostsTest):
    def waits_quietly(self, launchers):
        """Whether all of them live on for a while without much processor time."""
        before = {process: processor_time(process) for process in launchers}
        time.sleep(WATCHED_S)
        for process in launchers:
            after = processor_time(process)
            self.assertIsNotNone(after, "the launcher has left a process behind")
            print(f"{after - before[process]:.2f} s of {WATCHED_S} s", file=sys.stderr)
            self.assertLess(after - before[process], MOST_SHARE * WATCHED_S)

    def ranks_of(self, worker, count):
        deadline = time.monotonic() + 20
        while len(ranks := children_of(worker)) < count and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(len(ranks), count)
        return ranks

    def test_a_rank_that_does_not_go_when_the_job_ends(self):
        for grace in ("0", "200"):
            with self.subTest(grace=grace):
                job = Job("-n", "2", "sh", "-c", '[ "$STARLING_JOB_RANK" = 1 ] && exec sleep 60; read line; exit 3',
                          environment={"STARLING_LAUNCH_GRACE_MS": grace}, stdin=-1)
                worker = self.ranks_of(job.process.pid, 1)[0]
                ranks = self.ranks_of(worker, 2)
                with Held(self, ranks[1:]) as held:
                    job.process.stdin.write("end\n")
                    job.process.stdin.flush()
                    held.wait_until_dead()
                    self.waits_quietly([worker])
                self.assertEqual(job.finish().code, 3)
                self.assert_clean(job)

    def test_ranks_that_do_not_go_when_mpiexec_is_killed(self):
        job = self.job_on_hosts("--survive", "-n", "4", PROBE, "hang")
        job.wait_for_processes(10)
        worker = children_of(job.process.pid)[0]
        ranks = [self.ranks_of(children_of(agent)[0], 2)[1] for agent in self.agents(job).values()]
        with Held(self, ranks) as held:
            os.kill(job.process.pid, signal.SIGKILL)
            held.wait_until_dead()
            self.waits_quietly([worker])
        job.finish()
        self.assert_clean(job)

    def test_ranks_that_do_not_go_when_mpiexec_is_silent(self):
        job = self.job_on_hosts("--survive", "-n", "4", PROBE, "hang", environment=SOON)
        job.wait_for_processes(10)
        workers = [children_of(agent)[0] for agent in self.agents(job).values()]
        self.assertEqual(len(workers), 2)
        stopped = [job.process.pid, *children_of(job.process.pid)]
        with Held(self, [self.ranks_of(worker, 2)[1] for worker in workers]) as held:
            for process in stopped:
                os.kill(process, signal.SIGSTOP)
            held.wait_until_dead()
            self.waits_quietly(workers)
            for process in stopped:
                os.kill(process, signal.SIGKILL)
        job.finish()
        self.assert_clean(job)


if __name__ == "__main__":
    main()
