# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling ps and starling why on jobs over several hosts, which are names for this machine (tests/launch)."""
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../launch"))
from named_hosts import NamedHostsTest  # noqa: E402 pylint: disable=wrong-import-position
from launch_support import BIN, STARLING, children_of  # noqa: E402 pylint: disable=wrong-import-position

HANG = os.path.join(BIN, "observe_hang")
SOURCE = os.path.join(os.path.dirname(__file__), "hang.c")
LIMIT_S = 60
# An agent that is stopped shall not end the job while a busy machine answers.
PATIENT = {"STARLING_NET_DEAD_AFTER_MS": "120000"}


def starling(*arguments):
    return subprocess.run([STARLING, *arguments], capture_output=True, text=True, timeout=LIMIT_S)


def position(name):
    with open(SOURCE) as file:
        return next(f"hang.c:{number}" for number, line in enumerate(file, 1) if f"position: {name}" in line)


def without_time_outside(said):
    """The sentence; the launcher knows only after a second for how long a rank has been outside MPI."""
    return re.sub(r"has been outside MPI for \d+(\.\d)? s", "is outside MPI", said.stdout.split("\n")[0])


class Hosts(NamedHostsTest):
    def start(self, program, hosts="one:2,two:2"):
        job = self.job_on_hosts(HANG, program, hosts=hosts, environment=PATIENT)
        self.addCleanup(job.process.communicate)
        self.addCleanup(job.process.terminate)
        job.name = str(job.process.pid)
        job.worker = None
        return job

    def worker_of(self, process):
        return children_of(process)[0]

    def eventually(self, look, holds):
        """What look() returns once that holds, or at last."""
        deadline = time.monotonic() + LIMIT_S
        while not holds(seen := look()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return seen

    def sentence_of(self, job, sentence, *options):
        """Waits until this is said; returns all that is said."""
        said = self.eventually(lambda: starling("why", *options, job.name),
                               lambda said: without_time_outside(said) == sentence)
        self.assertEqual(without_time_outside(said), sentence, said.stdout + said.stderr)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return said.stdout

    def refusal_of(self, job):
        said = starling("why", "--quick", job.name)
        self.assertEqual((said.returncode, said.stdout), (1, ""), said.stdout)
        return said.stderr

    RING = ("deadlock: 0 waits for 1, 1 for 2, 2 for 0, all in MPI_Recv with tag 7; "
            "3 waits for them in MPI_Barrier")


class Why(Hosts):
    def test_shows_the_ranks_of_all_hosts(self):
        job = self.start("ring")
        said = self.sentence_of(job, self.RING, "--quick")
        self.assertRegex(said, r"\n  rank 1 +waits in MPI_Recv with tag 7, for 2 \(\d+\.\d s\)\n")
        self.assertRegex(said, r"\n  rank 3 +waits in MPI_Barrier, its number 1, for 0 to 2 \(\d+\.\d s\)\n")
        jobs = starling("ps")
        self.assertRegex(jobs.stdout, rf"(?m)^ *{job.name} +4 +\d+\.\d s  deadlock +rank \d, \d+\.\d s in MPI_")
        # Its agents are no jobs of their own.
        for agent in self.agents(job).values():
            self.assertNotRegex(jobs.stdout, rf"(?m)^ *{agent} ")

    def test_counts_collectives_over_hosts_and_reads_lines_there(self):
        job = self.start("missing")
        said = self.sentence_of(job, f"rank 2 is missing in MPI_Allreduce number 51 on 'solver'; it is outside MPI, at "
                                     f"{position('missing')}")
        self.assertRegex(said, rf"\n  rank 2 +is outside MPI, at {position('missing')}( \(\d+\.\d s\))?\n")

    def test_follows_communicators_over_hosts(self):
        job = self.start("halves")
        self.sentence_of(job, "deadlock: 0 waits for 2 in MPI_Barrier on 'even', 2 for 0 in MPI_Barrier; "
                              "1 and 3 wait for them in MPI_Barrier", "--quick")

    def test_says_no_deadlock_of_a_job_that_goes_on(self):
        job = self.start("healthy")
        looks = 0
        while job.process.poll() is None:
            said = starling("why", "--quick", job.name)
            self.assertNotIn("deadlock", said.stdout)
            looks += said.returncode == 0
        self.assertGreater(looks, 3)


class Trouble(Hosts):
    def stop(self, process):
        os.kill(process, signal.SIGSTOP)
        self.addCleanup(self.go_on, process)

    def go_on(self, process):
        try:
            os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def test_says_which_host_does_not_answer(self):
        job = self.start("ring")
        self.sentence_of(job, self.RING, "--quick")
        self.stop(self.worker_of(self.agents(job)["two"]))
        # On a busy machine the other may not answer in time, either.
        seen = re.compile(r"(?m)^  rank 0 +waits in MPI_Recv with tag 7, for 1 \(")
        said = self.eventually(lambda: starling("why", "--quick", job.name), lambda said: seen.search(said.stdout))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, seen)
        self.assertRegex(said.stdout, r"(?m)^  ranks 2 and 3 +are on a host that does not answer$")
        self.assertRegex(said.stdout, r"(?m)^host two does not answer: nothing is known of ranks 2 and 3$")
        self.assertNotIn("deadlock", said.stdout)

    def test_says_that_mpiexec_is_stopped_or_has_ended(self):
        job = self.start("ring")
        self.sentence_of(job, self.RING, "--quick")
        worker = self.worker_of(job.process.pid)
        self.stop(worker)
        self.assertEqual(self.refusal_of(job), f"starling why: the mpiexec of job {job.name} does not answer: its process "
                                               f"{worker} is stopped\n")
        asker = subprocess.Popen([STARLING, "why", "--quick", job.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True)
        self.eventually(lambda: self.sockets_of(asker.pid), lambda sockets: sockets)
        os.kill(worker, signal.SIGKILL)
        out, err = asker.communicate(timeout=LIMIT_S)
        self.assertEqual((out, asker.returncode), ("", 1), err)
        self.assertIn(f"job {job.name} has ended meanwhile", err)

    def sockets_of(self, process):
        found = []
        try:
            for name in os.listdir(f"/proc/{process}/fd"):
                target = os.readlink(f"/proc/{process}/fd/{name}")
                found += [target] if target.startswith("socket:") else []
        except OSError:
            pass
        return found

    def socket_name(self, process):
        """The abstract socket of a launcher process, from /proc as everybody sees it."""
        inodes = {link[len("socket:["):-1] for link in self.sockets_of(process)}
        with open("/proc/net/unix") as file:
            for line in file:
                words = line.split()
                if len(words) > 7 and words[6] in inodes and words[7].startswith("@starling-"):
                    return "\0" + words[7][1:]
        raise AssertionError("no socket")

    def test_goes_on_where_strangers_send_garbage(self):
        job = self.start("ring")
        self.sentence_of(job, self.RING, "--quick")
        name = self.socket_name(self.worker_of(job.process.pid))
        for size in (1, 16, 100_000):
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.connect(name)
                try:
                    stranger.sendall(os.urandom(size))
                    stranger.shutdown(socket.SHUT_WR)
                    while stranger.recv(4096):
                        pass
                except (BrokenPipeError, ConnectionResetError):
                    pass
        silent = [socket.socket(socket.AF_UNIX) for _ in range(40)]
        for stranger in silent:
            stranger.connect(name)
        for stranger in silent:
            stranger.close()
        self.sentence_of(job, self.RING, "--quick")
        self.assertIsNone(job.process.poll())

    def test_answers_many_at_once(self):
        job = self.start("ring")
        self.sentence_of(job, self.RING, "--quick")

        def ask_at_once():
            said = []
            askers = [threading.Thread(target=lambda: said.append(starling("why", "--quick", job.name))) for _ in range(6)]
            for asker in askers:
                asker.start()
            for asker in askers:
                asker.join()
            return [one.stdout.split("\n")[0] for one in said]

        all_alike = [self.RING] * 6
        self.assertEqual(self.eventually(ask_at_once, lambda said: said == all_alike), all_alike)


class Part(unittest.TestCase):
    def test_names_the_host_of_mpiexec_and_what_to_type_there(self):
        """A process that looks like the agent of a job whose mpiexec is elsewhere."""
        program = ("import socket, sys; open('/proc/self/comm', 'w').write('starling-job'); s = socket.socket(socket.AF_UNIX); "
                   "s.bind('\\0starling-part/4711/0123456789abcdef/elsewhere'); print(flush=True); sys.stdin.read()")
        agent = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 text=True)
        try:
            agent.stdout.readline()
            words = "it is a part of a job of host elsewhere; there 'starling why 4711' says more"
            self.assertRegex(starling("ps").stdout, rf"(?m)^ *\d+ +\? +\d.* s  part +{re.escape(words)}$")
            said = starling("why", str(agent.pid))
            self.assertRegex(said.stderr, rf"^starling why: job \d+ cannot be looked into: {re.escape(words)}\n$")
            self.assertEqual(said.returncode, 1)
        finally:
            agent.communicate()


if __name__ == "__main__":
    unittest.main()
