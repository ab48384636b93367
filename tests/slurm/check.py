#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs jobs of eight ranks on two nodes of a Slurm cluster, in each way to start one, and looks for what is left.

  scripts/slurm-two-nodes tests/slurm/check.py --bin build/release/bin [unittest's options and names]
"""
import argparse
import os
import random
import re
import signal
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from cluster import find_nodes, left_behind
from jobs import FOLDER, LIMIT_S, SIZE, BatchJob, Job

GRID = 24  # cg's matrix: GRID planes of GRID * GRID rows, of which each rank owns whole ones
MATRIX = os.path.join(FOLDER, "poisson.mtx")
LEAVE_S = 10  # Slurm's helpers need a moment to leave


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.nodes = find_nodes()

    def setUp(self):
        self.assertEqual([node.name for node in self.nodes], ["n1", "n2"])

    def tearDown(self):
        self.assertEqual(left_behind(self.nodes, LEAVE_S), [])


def program(name):
    return os.path.join(arguments.bin, name)


class Ways:
    """What must hold however the job is started; start() does it."""

    def run_probe(self, *words, **options):
        return self.start(program("slurm_probe"), *words, **options).finish()

    def a_rank_on(self, node):
        return random.choice(list(node.processes("slurm_probe")))

    def test_cg_solves_over_both_nodes(self):
        before = [node.sent_bytes() for node in self.nodes]
        job = self.start(program("cg"), MATRIX).finish()
        self.assertEqual(job.code, 0, job.err)
        self.assertRegex(job.out, r"on 8 ranks")
        self.assertRegex(job.out, r"result +solved")
        iterations = int(re.search(r"iterations +(\d+)", job.out).group(1))
        for node, sent in zip(self.nodes, before):
            # Each iteration takes a plane of doubles to the other node.
            self.assertGreater(node.sent_bytes() - sent, iterations * GRID * GRID * 8, node.name)

    def test_the_four_ranks_of_a_node_share_its_memory(self):
        job = self.run_probe("where")
        self.assertEqual(job.code, 0, job.err)
        self.assertEqual(sorted(job.out.splitlines()),
                         [f"rank {rank} of 8 on {'n1' if rank < 4 else 'n2'} with 4" for rank in range(8)])

    def test_lines_of_all_ranks_are_whole(self):
        job = self.run_probe("lines", "400")
        self.assertEqual(job.code, 0, job.err)
        seen = {rank: [] for rank in range(8)}
        for line in job.out.splitlines():
            seen[int(line.split(":")[0])].append(line)
        for rank, lines in seen.items():
            self.assertEqual(lines, [f"{rank}:{line}:{'abcdefgh'[rank] * (line % 200)}$" for line in range(400)])

    def test_the_exit_status_of_a_rank_is_the_jobs(self):
        for rank in (0, 6):
            self.assertEqual(self.run_probe("status", str(rank), "7").code, 7)

    def test_a_killed_rank_ends_the_job(self):
        for node in self.nodes:
            job = self.start(program("slurm_probe"), "rounds")
            job.until_printed("running")
            os.kill(self.a_rank_on(node), signal.SIGKILL)
            job.finish()
            self.assertNotEqual(job.code, 0, job.err)
            self.check_report(job, node)
            self.assertEqual(left_behind(self.nodes, LEAVE_S), [])

    def check_report(self, job, node):
        """Slurm says it by itself, with the status of the dead rank or of one that missed it first."""

    def test_a_cancelled_job_ends(self):
        job = self.start(program("slurm_probe"), "rounds")
        job.until_printed("running")
        subprocess.run(["scancel", f"--name={job.name}"], check=True)
        self.assertNotEqual(job.finish().code, 0, job.err)


class OwnLauncher(Ways):
    def check_report(self, job, node):
        self.assertEqual(job.code, 137, job.err)
        for word in ("rank", node.name, "SIGKILL"):
            self.assertIn(word, job.err)


class Allocation(OwnLauncher, Case):
    """mpiexec on the login host, which has no ranks: agents by srun on both nodes."""

    def start(self, *command, **options):
        return Job(["salloc", "--quiet", *SIZE, program("mpiexec"), *command], **options)

    def test_the_launcher_killed_leaves_nothing(self):
        job = self.start(program("slurm_probe"), "rounds")
        job.until_printed("running")
        said = subprocess.run(["pgrep", "-x", "mpiexec"], capture_output=True, text=True, check=True)
        os.kill(int(random.choice(said.stdout.split())), signal.SIGKILL)
        job.finish()  # salloc's own status is 0 after a command that was killed

    def test_a_login_host_that_dies_leaves_nothing(self):
        job = self.start(program("slurm_probe"), "rounds")
        job.until_printed("running")
        subprocess.run(["pkill", "-KILL", "-x", "mpiexec|srun|salloc"], check=True)
        # Slurm knows nothing of it and keeps the agents' streams open: they must notice the silence.
        left = left_behind(self.nodes, LEAVE_S)
        job.cancel()
        self.assertEqual(left, [])

    def test_rank_0_reads_standard_input(self):
        with open(MATRIX, "rb") as file:
            job = Job(["salloc", "--quiet", *SIZE, program("mpiexec"), "cat"], stdin=file).finish()
        self.assertEqual(job.code, 0, job.err)
        with open(MATRIX, encoding="utf-8") as file:
            self.assertEqual(job.out, file.read())

    def test_srun_does_not_follow_the_users_settings(self):
        job = self.run_probe("where", environment={
            "SLURM_LABELIO": "1", "SLURM_STDOUTMODE": "none", "SLURM_EXPORT_ENV": "NONE", "SLURM_MPI_TYPE": "pmix",
            "SLURM_NTASKS_PER_NODE": "4",
            "SLURM_CPU_BIND": "quiet,mask_cpu:0x1"})
        self.assertEqual((job.code, len(job.out.splitlines()), job.err), (0, 8, ""))

    def test_slots_are_the_tasks_of_the_allocation(self):
        for options, expected in ((("--nodes=2", "--ntasks=5"), 5), (("--nodes=2", "--ntasks-per-node=3"), 6),
                                  (("--nodes=1", "--ntasks=3"), 3), (("--nodes=2", "--ntasks-per-node=1"), 2)):
            job = Job(["salloc", "--quiet", *options, program("mpiexec"), program("slurm_probe"), "where"]).finish()
            self.assertEqual((job.code, len(job.out.splitlines())), (0, expected), f"{options}: {job.err}")

    def test_a_step_of_one_task_may_start_ranks_on_all_nodes(self):
        step = ("srun", "--overlap", "--nodes=1", "--ntasks=1", "--nodelist=n2")
        job = Job(["salloc", "--quiet", *SIZE, *step, program("mpiexec"), program("slurm_probe"), "where"]).finish()
        self.assertEqual((job.code, len(job.out.splitlines())), (0, 8), job.err)


class BatchScript(OwnLauncher, Case):
    """mpiexec within a batch script on the first node: an agent by srun on the other."""

    def start(self, *command, **options):
        return BatchJob([program("mpiexec"), "-n", "8", *command], **options)


class BySlurm(Ways):
    def start(self, *command, size=SIZE, **options):
        return Job(["srun", f"--mpi={self.pmi}", *size, *command], **options)

    def test_ranks_share_memory_wherever_slurm_puts_them(self):
        for size, hosts in (((*SIZE, "--distribution=cyclic"), "n1 n2 n1 n2 n1 n2 n1 n2"),
                            ((*SIZE, "--distribution=plane=3"), "n1 n1 n1 n2 n2 n2 n1 n2"),
                            (("--nodes=2", "--ntasks=5"), "n1 n1 n1 n1 n2"),
                            (("--nodes=1", "--ntasks=3"), "n1 n1 n1"),
                            (("--nodes=1", "--ntasks=1"), "n1")):
            hosts = hosts.split()
            job = self.run_probe("where", size=size)
            self.assertEqual(sorted(job.out.splitlines()),
                             [f"rank {rank} of {len(hosts)} on {host} with {hosts.count(host)}"
                              for rank, host in enumerate(hosts)], f"{size}: {job.err}")


class Pmix(BySlurm, Case):
    pmi = "pmix"


class Pmi2(BySlurm, Case):
    pmi = "pmi2"


class NoPmi(Case):
    def test_srun_without_pmi_is_told_what_to_type(self):
        job = Job(["srun", "--mpi=none", *SIZE, program("cg"), MATRIX]).finish()
        self.assertIn("--mpi=pmix", job.err)
        self.assertIn("mpiexec", job.err)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin", help="where the programs are (build/release/bin)")
    arguments, others = parser.parse_known_args()
    arguments.bin = os.path.abspath(arguments.bin)
    missing = [name for name in ("mpiexec", "cg", "poisson3d", "slurm_probe") if not os.access(program(name), os.X_OK)]
    if missing:
        sys.exit(f"tests/slurm/check.py: {arguments.bin} lacks {', '.join(missing)}; build the release preset first")
    if not FOLDER:
        sys.exit("tests/slurm/check.py: there is no cluster; run it by scripts/slurm-two-nodes")
    subprocess.run([program("poisson3d"), str(GRID), MATRIX], check=True)
    unittest.main(argv=[sys.argv[0], *others])
