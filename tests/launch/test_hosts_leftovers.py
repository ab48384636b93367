# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on several hosts of which a process is killed or stopped: nothing stays on any host, whoever dies. The hosts are
names (named_hosts.py). STARLING_TEST_KILLS sets how many jobs are killed at random moments."""
import contextlib
import os
import random
import signal
import subprocess
import time

from launch_support import PROBE, children_of, main, stat_of
from named_hosts import SOON, NamedHostsTest

KILLS = int(os.environ.get("STARLING_TEST_KILLS", "15"))


UNREAD = """
import os, sys
reading, writing = os.pipe()
os.set_blocking(writing, False)
try:
    while True: os.write(writing, b"x" * 4096)
except BlockingIOError:
    pass
os.set_blocking(writing, True)
os.dup2(writing, 2)
os.set_inheritable(reading, True)
os.execv(sys.argv[1], sys.argv[1:])
"""


def what_runs_as(process):
    """Its command, and where in the kernel it waits."""
    try:
        with open(f"/proc/{process}/cmdline") as command, open(f"/proc/{process}/wchan") as place:
            return f"{process}: {command.read()} in {place.read()}".replace("\0", " ")
    except OSError:
        return f"{process}: gone meanwhile"


class Leftovers(NamedHostsTest):
    """Nothing stays on any host, whoever dies."""

    MIXED = f"""
        sleep 0.05
        [ $STARLING_JOB_RANK = 0 ] && exec {PROBE} hang
        setsid sleep 60 &
        (setsid sh -c 'sleep 60 & sleep 60' &)
        exec sleep 60
        """

    def start_mixed(self):
        return self.job_on_hosts("-n", "4", "sh", "-c", self.MIXED)

    def end_by_killing(self, choose, code=1):
        job = self.start_mixed()
        job.wait_for_processes(18)
        os.kill(choose(job), signal.SIGKILL)
        started = time.monotonic()
        job.finish(15)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(job.code, code, job.err)
        self.assert_clean(job)
        return job.err

    def test_killing_mpiexec_ends_everything(self):
        self.end_by_killing(lambda job: job.process.pid, -signal.SIGKILL)

    def test_an_agent_whose_words_nobody_reads_ends_everything(self):
        """mpiexec is silent, and the agent's standard error is a full pipe, as behind a remote shell that is stopped."""
        python = self.script("unread.py", UNREAD)
        self.shell = self.script("unread", f'export HOSTNAME=$1; shift; exec python3 {python} "$@"')
        job = self.job_on_hosts("sleep", "60", environment=SOON)
        job.wait_for_processes(10)
        stopped = [job.process.pid, *children_of(job.process.pid)]
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        deadline = time.monotonic() + 60
        while (others := set(job.processes()) - set(stopped)) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual([what_runs_as(process) for process in others], [])
        self.assertEqual(sorted(job.processes()), sorted(stopped))
        for process in stopped:
            os.kill(process, signal.SIGKILL)
        job.finish(60)
        self.assert_clean(job)

    def test_killing_its_worker_ends_everything(self):
        self.end_by_killing(lambda job: children_of(job.process.pid)[0], 137)

    def test_killing_an_agent_ends_everything(self):
        report = self.end_by_killing(lambda job: self.agents(job)["two"])
        self.assertIn("starling: host two: the connection to its agent has ended", report)

    def test_killing_the_worker_of_an_agent_ends_everything(self):
        report = self.end_by_killing(lambda job: children_of(self.agents(job)["one"])[0])
        self.assertIn("starling: host one: the connection to its agent has ended", report)

    def test_killing_a_remote_shell_ends_everything(self):
        self.shell = self.script("staying", 'export HOSTNAME=$1; shift; "$@"')

        def shell_of_two(job):
            return int(stat_of(self.agents(job)["two"])[1])

        report = self.end_by_killing(shell_of_two)
        self.assertIn("starling: host two: the connection to its agent has ended: its remote shell was killed by signal 9",
                      report)

    def test_a_host_that_says_nothing_any_more_is_lost(self):
        job = self.job_on_hosts("-n", "4", PROBE, "hang", environment=SOON)
        job.wait_for_processes(10)
        time.sleep(0.3)
        os.kill(children_of(self.agents(job)["two"])[0], signal.SIGSTOP)
        started = time.monotonic()
        job.finish(20)
        self.assertGreater(time.monotonic() - started, 2)  # its machine answers
        self.assertEqual(job.code, 1)
        self.assertIn("starling: host two: note: nothing has come from its agent for 2.0 s, but the machine answers", job.err)
        self.assertRegex(job.err, "starling: host two: nothing has come from it for [0-9.]+ s: the machine answers, but its agent")
        self.assert_clean(job)

    def test_an_mpiexec_that_gets_no_time_during_the_start_is_not_dead(self):
        """It is stopped, for longer than a host may be silent, while the agent of the first host waits for its part."""
        self.shell = self.script("late", 'export HOSTNAME=$1; [ $1 = two ] && sleep 1; shift; exec "$@"')
        job = self.job_on_hosts("-n", "2", "sh", "-c", "echo over", hosts="one,two")
        deadline = time.monotonic() + 20
        while "one" not in self.agents(job) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)
        worker = children_of(job.process.pid)[0]
        os.kill(worker, signal.SIGSTOP)
        time.sleep(5.5)
        os.kill(worker, signal.SIGCONT)
        self.assertEqual((job.finish().code, job.out, job.err), (0, "over\n" * 2, ""))

    def test_a_host_that_pauses_is_not_lost(self):
        job = self.job_on_hosts("-n", "2", "sh", "-c", "sleep 2.5; echo over", hosts="one,two")
        job.wait_for_processes(8)
        worker = children_of(self.agents(job)["two"])[0]
        os.kill(worker, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(worker, signal.SIGCONT)
        self.assertEqual((job.finish().code, job.out), (0, "over\n" * 2))

    def test_killing_at_random_moments_leaves_nothing(self):
        seed = int(os.environ.get("STARLING_TEST_SEED", random.randrange(1 << 30)))
        dice = random.Random(seed)
        for attempt in range(KILLS):
            with self.subTest(seed=seed, attempt=attempt):
                self.kill_somebody(dice)

    def is_of_starling(self, process):
        return os.readlink(f"/proc/{process}/exe").endswith("/starling")

    def is_rank(self, process):
        """A rank leads a process group in its agent's session. What it leaves behind the agent adopts as well."""
        _, parent, group, session, *_ = stat_of(process)
        return group == str(process) and self.is_of_starling(parent) and stat_of(parent)[3] == session

    def kill_somebody(self, dice):
        job = self.start_mixed()
        time.sleep(dice.uniform(0, 0.4))
        victim = dice.choice(job.processes() or [job.process.pid])
        words = f"{victim}\n"
        try:
            with open(f"/proc/{victim}/cmdline") as file:
                words += file.read().replace("\0", " ") + "\n"
            deadly = self.is_of_starling(victim) or self.is_rank(victim)
            words += f"deadly: {deadly}, {stat_of(victim)[:4]}\n"
            os.kill(victim, signal.SIGKILL)
        except OSError:
            deadly = False  # gone by itself
        if not deadly:  # what a rank has started: its death ends no job
            time.sleep(0.1)
            job.process.send_signal(signal.SIGTERM)
        try:
            job.finish(20)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                words += "".join(open(f"/proc/{process}/cmdline").read().replace("\0", " ") + f" ({process})\n"
                                 for process in job.processes())
            self.fail(f"the job goes on after the death of {words}")
        self.assertNotEqual(job.code, 0)
        self.assert_clean(job)


if __name__ == "__main__":
    main()
