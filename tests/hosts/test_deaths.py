# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks, hosts and links that die under a job over two hosts: the job ends everywhere in time, with a sentence that names who
died, and nothing is left."""
import os
import signal
import time

from hosts_support import PROBE, Hosts, HostsTest, Job, Stopwatch, best_time, main, processes

DEAD_AFTER_MS = 2000  # STARLING_NET_DEAD_AFTER_MS: half of what it is otherwise, for a short test
LINK_LIMIT_S = DEAD_AFTER_MS / 1000 + 1
PATIENCE_S = 30
# The probe's ranks are awake and send all the time, or asleep in a barrier.
BUSY_AND_WAITING = (("exchange", "0"), ("wait", "600"))


class Deaths(HostsTest):
    wishes = {"networks": 2}

    def start(self, *probe, count=None, environment=None):
        job = Job(self.hosts, *(count or self.two_each), PROBE, *probe,
                  environment={"STARLING_NET_DEAD_AFTER_MS": str(DEAD_AFTER_MS), **(environment or {})})
        job.wait_until_ready()
        return job

    def seconds_to_the_end(self, job):
        """Until mpiexec has ended and nothing is left anywhere."""
        watch = Stopwatch()
        job.finish(PATIENCE_S)
        self.assertEqual(self.hosts.left(PATIENCE_S), [], "processes of the job are left")
        return watch.seconds

    def assert_said(self, job, *words):
        for word in words:
            self.assertIn(word, job.err)
        self.assertNotEqual(job.code, 0)

    def test_a_killed_rank_ends_the_job(self):
        def attempt(probe, rank, host):
            job = self.start(*probe)
            os.kill(job.ranks()[rank], signal.SIGKILL)
            seconds = self.seconds_to_the_end(job)
            self.assert_said(job, f"rank {rank} ", "SIGKILL", host)
            self.assertEqual(job.code, 137)
            return seconds
        for probe in BUSY_AND_WAITING:
            for rank, host in ((1, "h1"), (3, "h2")):
                with self.subTest(probe=probe, rank=rank):
                    self.assertLess(best_time(5, 0.3, lambda: attempt(probe, rank, host)), 0.3)

    def test_an_abort_ends_the_job_with_its_code(self):
        job = self.run_job(*self.two_each, PROBE, "nonsense")
        self.assertEqual(job.code, 2, job.err)
        self.assertIn("there is no mode 'nonsense'", job.err)

    def test_a_host_of_which_all_processes_are_killed_ends_the_job(self):
        def attempt():
            job = self.start("wait", "600")
            self.hosts.kill_all("h2")
            seconds = self.seconds_to_the_end(job)
            self.assert_said(job, "host h2", "ranks 2-3", "eth0 (10.77.0.2, ")
            return seconds
        self.assertLess(best_time(5, 1, attempt), 1)

    def link_goes(self, break_it, probe):
        def attempt():
            job = self.start(*probe)
            break_it("h2")
            try:
                seconds = self.seconds_to_the_end(job)
            finally:
                self.hosts.mend("h2")
            self.assert_said(job, "h2", "rank ", "eth0")
            return seconds
        self.assertLess(best_time(3, LINK_LIMIT_S, attempt), LINK_LIMIT_S)

    def use_one_card(self):
        for host in self.hosts.names:
            self.hosts.take_down(host, "eth1")

    def test_a_link_that_goes_down_ends_the_job(self):
        self.use_one_card()
        for probe in BUSY_AND_WAITING:
            with self.subTest(probe=probe):
                self.link_goes(self.hosts.cut, probe)

    def test_a_link_that_loses_every_packet_ends_the_job(self):
        self.use_one_card()
        for probe in BUSY_AND_WAITING:
            with self.subTest(probe=probe):
                self.link_goes(self.hosts.mute, probe)

    def test_a_remote_shell_that_hangs_while_the_host_vanishes_ends_the_job(self):
        def attempt():
            job = self.start("wait", "600")
            shell = next(process for process in self.hosts.processes("h1") if self.is_shell(process))
            os.kill(shell, signal.SIGSTOP)
            self.hosts.mute("h2")
            watch = Stopwatch()
            try:
                job.finish(PATIENCE_S)
                seconds = watch.seconds
            finally:
                self.hosts.mend("h2")
                self.hosts.kill_all("h2")
                self.hosts.kill_all("h1")
            self.assert_said(job, "h2", "rank", "eth0")  # by mpiexec, or by a rank that has found out first
            return seconds
        self.use_one_card()
        self.assertLess(best_time(3, LINK_LIMIT_S, attempt), LINK_LIMIT_S)

    def is_shell(self, process):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                return b"\0rsh\0" in file.read()
        except OSError:
            return False

    def test_a_remote_shell_that_is_killed_ends_the_job(self):
        job = self.start("wait", "600")
        for process in filter(self.is_shell, self.hosts.processes("h1")):
            os.kill(process, signal.SIGKILL)
        self.seconds_to_the_end(job)
        self.assert_said(job, "h2")

    def test_an_mpiexec_that_is_killed_leaves_nothing(self):
        for probe in BUSY_AND_WAITING:
            with self.subTest(probe=probe):
                job = self.start(*probe)
                os.kill(job.mpiexec, signal.SIGKILL)
                self.seconds_to_the_end(job)

    def test_a_host_that_stops_for_a_while_is_not_dead(self):
        job = Job(self.hosts, *self.two_each, PROBE, "exchange", "5")  # with 4 s before a host counts as dead
        job.wait_until_ready()
        self.hosts.signal_all("h2", signal.SIGSTOP)
        time.sleep(3)
        self.hosts.signal_all("h2", signal.SIGCONT)
        job.finish()
        self.assertEqual(job.code, 0, job.err)
        self.assertIn("exchanged", job.out)

    def stop_for_twice_the_limit(self, job, stopped):
        """Stops processes until they have been silent for twice as long as a host may be; the job ends as usual."""
        self.assertTrue(stopped)
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        time.sleep(2 * DEAD_AFTER_MS / 1000)
        for process in stopped:
            os.kill(process, signal.SIGCONT)
        job.finish()
        self.assertEqual(job.code, 0, job.err)
        self.assertIn("exchanged", job.out)
        self.assertEqual(self.hosts.left(), [], "processes of the job are left")

    def test_an_agent_that_gets_no_processor_time_while_its_machine_answers_is_not_lost(self):
        job = self.start("exchange", str(3 * DEAD_AFTER_MS / 1000))
        ranks = job.ranks().values()
        self.stop_for_twice_the_limit(job, [each for each in self.hosts.processes("h2") if each not in ranks])
        self.assertEqual(job.err, "starling: host h2: note: nothing has come from its agent for 2.0 s, but the machine "
                                  "answers: it is very busy, or the agent is stopped. The job goes on.\n")

    def test_an_mpiexec_that_gets_no_processor_time_while_its_machine_answers_is_not_lost(self):
        job = self.start("exchange", str(3 * DEAD_AFTER_MS / 1000))
        self.stop_for_twice_the_limit(job, processes.children_of(job.mpiexec))

    def test_a_remote_shell_that_hangs_for_a_while_loses_no_host(self):
        job = self.start("exchange", str(3 * DEAD_AFTER_MS / 1000))
        self.stop_for_twice_the_limit(job, list(filter(self.is_shell, self.hosts.processes("h1"))))

    def test_an_agent_that_hangs_ends_the_job_when_a_step_may_take_no_longer(self):
        job = self.start("wait", "600", environment={"STARLING_LAUNCH_DEADLINE_MS": "5000"})
        shell = next(process for process in self.hosts.processes("h1") if self.is_shell(process))
        os.kill(shell, signal.SIGSTOP)
        watch = Stopwatch()
        job.finish(PATIENCE_S)
        self.assertGreater(watch.seconds, 2 * DEAD_AFTER_MS / 1000)
        self.assert_said(job, "host h2", "the machine answers, but its agent hangs", "ranks 2-3")
        self.hosts.kill_all("h2")
        self.hosts.kill_all("h1")

    def test_an_interrupt_reaches_all_hosts(self):
        job = self.start("wait", "600")
        os.kill(job.mpiexec, signal.SIGINT)
        self.seconds_to_the_end(job)
        self.assertNotEqual(job.code, 0)


class SecondCard(HostsTest):
    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        """Each test has hosts of its own: a card that was switched off has lost addresses."""
        self.hosts = Hosts(networks=2)
        self.addCleanup(self.hosts.close)

    def test_the_card_in_use_that_loses_its_cable_ends_the_job_though_there_is_another(self):
        def attempt():
            job, idle = self.start(0)
            card = {"eth0": "eth1", "eth1": "eth0"}[idle]
            self.hosts.cut("h2", card)
            watch = Stopwatch()
            job.finish(PATIENCE_S)
            seconds = watch.seconds
            self.hosts.mend("h2", card)
            self.assertNotEqual(job.code, 0)
            for words in ("h2", "rank ", card):
                self.assertIn(words, job.err)
            self.assertEqual(self.hosts.left(PATIENCE_S), [], "processes of the job are left")
            return seconds
        self.assertLess(best_time(3, 4.7, attempt), 4.7)  # 4 s of STARLING_NET_DEAD_AFTER_MS, and what a rank waits

    def start(self, seconds):
        """A job, and the card that it does not use: the probe's connections are all on one."""
        job = Job(self.hosts, *self.two_each, PROBE, "exchange", str(seconds))
        job.wait_until_ready()
        before = self.sent()
        watch = Stopwatch()
        moved = {}
        while max(moved.values(), default=0) < 40000 and watch.seconds < PATIENCE_S:  # a busy machine may take seconds
            time.sleep(0.1)
            moved = {card: sent - before[card] for card, sent in self.sent().items()}
        idle = [card for card, bytes_sent in moved.items() if bytes_sent < 10000]
        self.assertEqual(len(idle), 1, "the job uses both cards, or none")
        return job, idle[0]

    def sent(self):
        return {card: self.hosts.bytes_sent("h2", card) for card in ("eth0", "eth1")}

    def assert_survived(self, job, *notes):
        """And that nothing else was said than these."""
        job.finish()
        self.assertEqual(job.code, 0, job.err)
        self.assertIn("exchanged", job.out)
        said = job.err.splitlines()
        self.assertEqual(len(said), len(notes), job.err)
        for line, note in zip(said, notes):
            self.assertTrue(line.startswith(f"starling: host h2: note: interface {note}"), job.err)

    def addresses(self, card):
        return ", ".join(self.hosts.plan.addresses("h2", int(card.removeprefix("eth"))))

    def test_a_second_card_that_loses_its_cable_and_is_unused_is_survived_and_said(self):
        job, card = self.start(6)
        self.hosts.cut("h2", card)
        time.sleep(2.5)  # the system waits up to 1 s before it says so, and the agent looks each half second
        self.hosts.mend("h2", card)
        self.assert_survived(job, f"{card} ({self.addresses(card)}) is down.", f"{card} ({self.addresses(card)}) is up again.")

    def test_a_second_card_that_is_switched_off_and_unused_is_survived_and_said(self):
        job, card = self.start(4)
        self.hosts.take_down("h2", card)
        self.assert_survived(job, f"{card} ({self.addresses(card)}) is down.")


if __name__ == "__main__":
    main()
