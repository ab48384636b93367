# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs without our launcher, below a foreign one, and below a rank of ours."""
import os
import subprocess
import unittest

from launch_support import MPIEXEC, PROBE, SANITIZED, LaunchTest, main, run


def alone(*arguments, environment=None):
    return subprocess.run([PROBE, *arguments], capture_output=True, text=True, timeout=30,
                          env=dict(os.environ, **(environment or {})))


class Singleton(LaunchTest):
    def test_a_program_alone_is_rank_0_of_1(self):
        done = alone()
        self.assertTrue(done.stdout.startswith("rank 0 of 1"), done.stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_foreign_launcher_is_named_loudly(self):
        foreign = {
            "srun": {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "1"},
            "Open MPI": {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "1"},
            "Hydra": {"PMI_SIZE": "4", "PMI_RANK": "1", "PMI_FD": "9"},
            "PMIx": {"PMIX_RANK": "1", "PMIX_NAMESPACE": "job"},
        }
        for name, environment in foreign.items():
            with self.subTest(name):
                warning = alone(environment=environment).stderr
                self.assertIn(name, warning)
                self.assertIn("NOT one rank", warning)

    def test_one_task_below_a_foreign_launcher_is_no_surprise(self):
        for environment in ({"PMI_SIZE": "1", "PMI_RANK": "0", "PMI_FD": "9"},
                            {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0",
                             "PMIX_RANK": "0", "PMIX_NAMESPACE": "job"}):
            self.assertEqual(alone(environment=environment).stderr, "")

    def test_a_batch_script_is_no_task_of_a_step(self):
        environment = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SLURM_PROCID": "0"}
        self.assertEqual(alone(environment=environment).stderr, "")

    def test_our_launcher_below_a_foreign_one_is_believed(self):
        job = run("-n", "2", PROBE, environment={"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "1"})
        self.assertEqual(job.err, "")
        self.assertEqual(sorted(line[:11] for line in job.out.splitlines()), ["rank 0 of 2", "rank 1 of 2"])

    @unittest.skipIf(SANITIZED, "the sanitizer handles the signal itself")
    def test_a_crash_alone_reports_itself(self):
        done = alone("segv")
        self.assertEqual(done.returncode, -11)
        self.assertIn("SIGSEGV", done.stderr)
        self.assertIn("launch_probe+0x", done.stderr)

    def test_an_abort_alone_gives_its_code(self):
        done = alone("mpi_abort", "0", "5")
        self.assertEqual(done.returncode, 5)
        self.assertIn("no more food", done.stderr)


class BelowARank(LaunchTest):
    def test_a_program_started_by_a_rank_is_a_job_of_its_own_and_says_so(self):
        job = run("-n", "2", PROBE, "system", PROBE)
        self.assertEqual(job.out.count("rank 0 of 1"), 2, job.out)
        self.assertEqual(job.err.count("was started by rank"), 2, job.err)

    def test_the_second_program_of_a_script_says_why_it_is_alone(self):
        job = run("-n", "2", "sh", "-c", f"{PROBE}; {PROBE}")
        self.assertEqual(job.out.count("rank 0 of 1"), 2, job.out)
        self.assertEqual(job.err.count("already belongs to process"), 2, job.err)

    def test_a_rank_may_start_a_job_of_its_own(self):
        job = run("-n", "2", PROBE, "system", f"{MPIEXEC} -n 2 {PROBE}")
        self.assertEqual(sorted(line[:11] for line in job.out.splitlines()),
                         ["rank 0 of 2"] * 2 + ["rank 1 of 2"] * 2, job.err)

    def test_half_an_environment_is_refused(self):
        done = alone(environment={"STARLING_JOB_FD": "3"})
        self.assertEqual(done.returncode, 99)
        self.assertIn("belong to mpiexec", done.stderr)


if __name__ == "__main__":
    main()
