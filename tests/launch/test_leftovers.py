# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Nothing stays behind, whoever dies and whenever. STARLING_TEST_KILLS sets how many jobs are killed at random moments."""
import os
import random
import signal
import time

from launch_support import PROBE, Job, LaunchTest, children_of, main, run

KILLS = int(os.environ.get("STARLING_TEST_KILLS", "25"))

# Ranks of every kind: MPI processes, MPI processes behind a script, and children that leave their session.
MIXED = f"""
case $STARLING_JOB_RANK in
  0) exec {PROBE} hang;;
  1) {PROBE} hang; true;;
  2) setsid sleep 60 & exec {PROBE} hang;;
  3) (setsid sh -c 'sleep 60 & sleep 60' &) ; exec sleep 60;;
esac
"""


def shared_memory():
    return {name for name in os.listdir("/dev/shm") if "starling" in name}


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Leftovers(LaunchTest):
    def test_children_that_outlive_their_rank_end_with_the_job(self):
        started = time.monotonic()
        job = run("-n", "2", "sh", "-c", "setsid sleep 60 & sleep 60 & echo out")
        self.assertEqual((job.code, job.out), (0, "out\nout\n"))
        self.assertLess(time.monotonic() - started, 10)
        self.assert_clean(job)

    def end_by_killing(self, choose):
        job = Job("-n", "4", "sh", "-c", MIXED)
        job.wait_for_processes(11)
        os.kill(choose(job), signal.SIGKILL)
        job.finish(15)
        self.assert_clean(job)
        return job

    def test_killing_mpiexec_ends_everything(self):
        self.end_by_killing(lambda job: job.process.pid)

    def test_killing_the_worker_ends_everything(self):
        job = self.end_by_killing(lambda job: children_of(job.process.pid)[0])
        self.assertEqual(job.code, 137)

    def test_killing_the_process_group_of_mpiexec_ends_everything(self):
        job = Job("-n", "4", "sh", "-c", MIXED, before=os.setpgrp)
        job.wait_for_processes(11)
        os.killpg(job.process.pid, signal.SIGKILL)
        job.finish(15)
        self.assert_clean(job)

    def test_killing_a_rank_ends_everything(self):
        job = self.end_by_killing(lambda job: children_of(children_of(job.process.pid)[0])[0])
        self.assertEqual(job.code, 137)
        self.assertIn("SIGKILL", job.err)

    def test_killing_at_random_moments_leaves_nothing(self):
        seed = int(os.environ.get("STARLING_TEST_SEED", random.randrange(1 << 30)))
        dice = random.Random(seed)
        memory_before = shared_memory()
        for attempt in range(KILLS):
            with self.subTest(seed=seed, attempt=attempt):
                self.kill_somebody(dice)
        self.assertEqual(shared_memory() - memory_before, set())

    def kill_somebody(self, dice):
        job = Job("-n", "4", "sh", "-c", MIXED)
        time.sleep(dice.uniform(0, 0.08))
        mpiexec = job.process.pid
        worker = (children_of(mpiexec) or [mpiexec])[0]
        victim = dice.choice(job.processes() or [mpiexec])
        kill(victim)
        time.sleep(dice.uniform(0, 0.02))
        # The death of a child that left its session ends no job, so mpiexec dies next; but not on top of its worker,
        # because of the two one must live to clean up.
        if victim != worker:
            kill(mpiexec)
        job.finish(15)
        self.assert_clean(job)


if __name__ == "__main__":
    main()
