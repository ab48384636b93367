# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on more hosts than mpiexec reaches by itself: agents start other agents. The hosts are names (named_hosts.py)."""
import os
import re
import signal
import time

from launch_support import SANITIZED, children_of, main, stat_of
from named_hosts import SOON, NamedHostsTest

WIDTH = 32  # remote shells that a process starts at most
COUNT = 40
HOSTS = [f"h{number}" for number in range(COUNT)]
BELOW = 8  # hosts that agents start: h32 by the agent of h0, h33 by that of h1, and so on
PER_HOST = 3  # processes: agent, its worker, rank


class Tree(NamedHostsTest):
    def start(self, *program, **how):
        job = self.job_on_hosts(*program, hosts=",".join(HOSTS), **how)
        job.wait_for_processes(2 + PER_HOST * COUNT, 30)
        return job

    def worker_of(self, job, host):
        return children_of(self.agents(job)[host])[0]

    def ends_soon(self, job, code, limit_s=10):
        """What it says at its end, of which nothing is left."""
        started = time.monotonic()
        job.finish(30)
        self.assertLess(time.monotonic() - started, limit_s, job.err)
        self.assertEqual(job.code, code, job.err)
        self.assert_clean(job)
        return job.err

    def test_each_host_gets_its_rank(self):
        job = self.run_on_hosts("-l", "sh", "-c", "echo $HOSTNAME", hosts=",".join(HOSTS))
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertEqual(sorted(job.out.splitlines()), sorted(f"[{rank}] {host}" for rank, host in enumerate(HOSTS)))
        self.assert_clean(job)

    def test_a_remote_shell_in_a_folder_below_or_beside_is_found_by_agents_in_other_folders(self):
        job = self.run_on_hosts("true", hosts=",".join(HOSTS), shell=os.path.relpath(self.shell))
        self.assertEqual((job.code, job.err), (0, ""))
        self.assert_clean(job)

    def test_remote_shells_may_stay_behind_their_agents(self):
        for stays_s in (0.5, 30):
            with self.subTest(stays_s):
                shell = self.script("slow", f'export HOSTNAME=$1; shift; "$@"; rc=$?; sleep {stays_s}; exit $rc')
                began = time.monotonic()
                job = self.run_on_hosts("-l", "sh", "-c", "echo $HOSTNAME", hosts=",".join(HOSTS), shell=shell)
                self.assertEqual((job.code, job.err, len(job.out.splitlines())), (0, "", COUNT))
                self.assertLess(time.monotonic() - began, 20)
                self.assert_clean(job)

    def test_mpiexec_starts_no_more_than_its_share_and_agents_start_the_others(self):
        job = self.start("sleep", "60")
        starter = {host: int(stat_of(agent)[1]) for host, agent in self.agents(job).items()}
        self.assertEqual(sorted(starter), sorted(HOSTS))
        head = children_of(job.process.pid)[0]
        self.assertEqual([host for host in HOSTS if starter[host] == head], HOSTS[:WIDTH])
        for below in range(BELOW):
            self.assertEqual(starter[HOSTS[WIDTH + below]], self.worker_of(job, HOSTS[below]))
        job.process.send_signal(signal.SIGINT)
        self.assertEqual(self.ends_soon(job, 130), "")

    def test_this_machine_is_reached_directly_wherever_it_stands_in_the_list(self):
        job = self.run_on_hosts("-l", "sh", "-c", "echo $HOSTNAME", hosts=",".join([*HOSTS, "localhost"]),
                                environment={"HOSTNAME": "here"})
        self.assertEqual((job.code, job.err), (0, ""))
        self.assertIn(f"[{COUNT}] here", job.out.splitlines())

    def test_a_rank_killed_below_another_host_ends_the_job(self):
        job = self.start("sleep", "60")
        os.kill(children_of(self.worker_of(job, "h33"))[0], signal.SIGKILL)
        self.assertRegex(self.ends_soon(job, 137), r"rank 33 \(.*on host h33\) died of SIGKILL")

    def test_an_agent_killed_below_another_host_ends_the_job(self):
        job = self.start("sleep", "60")
        os.kill(self.agents(job)["h33"], signal.SIGKILL)
        self.assertIn("starling: host h33: the connection to its agent has ended", self.ends_soon(job, 1))

    def test_an_agent_killed_that_has_started_others_ends_the_job(self):
        job = self.start("sleep", "60")
        os.kill(self.agents(job)["h0"], signal.SIGKILL)
        self.assertIn("starling: host h0: the connection to its agent has ended", self.ends_soon(job, 1))

    def falls_silent(self, host, before=None):
        job = self.start("sleep", "60", environment=SOON)
        workers = [self.worker_of(job, name) for name in (before, host) if name]
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
            time.sleep(0.7 if worker != workers[-1] else 0)
        report = self.ends_soon(job, 1, limit_s=30)
        self.assertEqual(set(re.findall(r"starling: host (\w+):", report)), {host}, report)
        self.assertRegex(report, "nothing has come from it for [0-9.]+ s: the machine answers, but its agent hangs")
        self.assertEqual(report.count("note: nothing has come from its agent for 2.0 s, but the machine answers"), 1, report)

    def test_a_host_that_falls_silent_below_another_ends_the_job(self):
        self.falls_silent("h33")

    def test_a_host_that_falls_silent_and_has_started_others_ends_the_job(self):
        self.falls_silent("h1")

    def test_a_host_is_not_blamed_for_the_silence_of_the_one_that_reaches_it(self):
        self.falls_silent("h1", before="h33")

    def refused_at_once(self, shell, limit_s, **how):
        """Other work makes a start longer, never shorter: the shortest of three counts."""
        times = []
        while len(times) < 3 and (not times or min(times) > limit_s):
            started = time.monotonic()
            report = self.refused(1, "true", shell=shell, hosts=",".join(HOSTS), limit_s=30, **how)
            times.append(time.monotonic() - started)
        if not SANITIZED:
            self.assertLess(min(times), limit_s, report)
        return report

    def test_an_agent_that_does_not_answer_below_another_host_is_told(self):
        silent = self.script("silent", '[ $1 = h33 ] && exec sleep 60; export HOSTNAME=$1; shift; exec "$@"')
        report = self.refused_at_once(silent, 4.5, environment={"STARLING_LAUNCH_DEADLINE_MS": "2000"})
        self.assertIn("starling: host h33: no agent has answered from it within 2000 ms; on host h1, which reaches it, try "
                      f"'{silent} h33 ", report)

    def test_an_agent_refused_below_another_host_is_told(self):
        refusing = self.script("refusing", '[ $1 = h33 ] && { echo no way >&2; exit 255; }; export HOSTNAME=$1; shift; exec "$@"')
        report = self.refused_at_once(refusing, 3)
        self.assertIn("host h33: no way\n", report)
        self.assertIn("starling: host h33: its remote shell ended with exit status 255; on host h1, which reaches it, try",
                      report)


if __name__ == "__main__":
    main()
