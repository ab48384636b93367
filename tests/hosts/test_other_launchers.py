# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks over two hosts that other launchers start: Open MPI's mpirun by PMIx, MPICH's hydra by PMI-1 and PMI-2. Those that are
not installed are left out."""
import os
import shutil
import signal

from hosts_support import BIN, PROBE, HostsTest, OtherJob, main

SUM = os.path.join(BIN, "launch_sum")


def installed(*names):
    return next(filter(shutil.which, names), None)


class OtherLaunchers(HostsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        hydra, open_mpi = installed("mpiexec.hydra", "mpiexec.mpich"), installed("mpirun.openmpi")
        agent = cls.hosts.agent
        hydras = [hydra, "-launcher", "rsh", "-launcher-exec", agent, "-hosts", "h1,h2", "-ppn", "2"]
        cls.launchers = {
            "hydra, PMI-1": hydras, "hydra, PMI-2": [*hydras, "-genv", "PMI_JOBID", "1"],
            "Open MPI": [open_mpi, "--allow-run-as-root", "--bind-to", "none", "--mca", "plm_rsh_agent", agent, "--host",
                         "h1:2,h2:2"]}

    def for_each(self, check):
        found = {name: words for name, words in self.launchers.items() if words[0]}
        if not found:
            self.skipTest("neither MPICH's nor Open MPI's launcher is installed (scripts/setup --peers)")
        for name, words in found.items():
            with self.subTest(name):
                check(words)
                self.assertEqual(self.hosts.left(), [], "processes of the job are left")

    def test_ranks_of_two_hosts_become_one_job(self):
        def check(words):
            job = OtherJob(self.hosts, *words, "-n", "4", SUM).finish()
            self.assertEqual(job.code, 0, job.err)
            self.assertEqual(sorted(job.out.splitlines()), [f"rank {rank} of 4, sum 6, nodes 2, local {rank % 2}, app 0"
                                                            for rank in range(4)])
        self.for_each(check)

    def test_messages_cross_the_link_and_arrive(self):
        """That they have crossed is asked at the end of each job (hosts_support.OtherJob.check_payload)."""
        def check(words):
            job = OtherJob(self.hosts, *words, "-n", "4", PROBE, "exchange", "0.3").finish()
            self.assertEqual(job.code, 0, job.err)
            self.assertRegex(job.out, r"exchanged [1-9]\d* rounds")
        self.for_each(check)

    def test_a_killed_rank_ends_the_job_on_both_hosts(self):
        def check(words):
            for rank in (0, 3):
                job = OtherJob(self.hosts, *words, "-n", "4", PROBE, "exchange", "0")
                job.wait_until_ready()
                os.kill(job.ranks()[rank], signal.SIGKILL)
                job.finish(20)
                self.assertNotEqual(job.code, 0, job.err)
        self.for_each(check)


if __name__ == "__main__":
    main()
