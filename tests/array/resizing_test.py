#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""starling resize: a running session of object arrays gets other processes (resizing.cpp), or says why not."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PATIENCE_S = 60


WAITS = "starling resize: the job does it when it is between two runs; Ctrl-C takes it back\n"


def resize(*words):
    """What it returns, and says; without the line for those who wait, which a busy machine has it say, too."""
    done = subprocess.run([STARLING, "resize", *map(str, words)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return done.returncode, done.stdout.strip(), done.stderr.removeprefix(WAITS).strip()


class Job:
    """A running job, whose session goes on until this is left."""

    def __init__(self, ranks, *words, options=()):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([MPIEXEC, *options, "-n", str(ranks), PROGRAM, self.folder.name, *words],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.id = self.process.pid
        self.said = []
        self.hear()  # it works then

    def hear(self):
        """Waits until the job has another number of processes, and returns what it says."""
        self.said.append(self.process.stdout.readline().strip())
        return self.said[-1]

    def processes(self):
        """Its processes, those that left included, in the order of their start."""
        found = subprocess.run(["pgrep", "-f", f"^{PROGRAM} {self.folder.name}"], capture_output=True, text=True, check=True)
        return sorted(int(each) for each in found.stdout.split())

    def touch(self, name):
        Path(self.folder.name, name).touch()

    def stop(self):
        self.touch("stop")
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        self.said += rest.split("\n")[:-1]
        return self.process.returncode, self.said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=PATIENCE_S)
        self.process.stdout.close()
        self.folder.cleanup()


class Resize(unittest.TestCase):
    def test_a_job_gets_more_processes_and_fewer_and_loses_nothing(self):
        with Job(2) as job:
            self.assertEqual(resize(job.id, 3), (0, f"job {job.id}: it goes on with 3 processes", ""))
            self.assertEqual(resize(job.id, 1), (0, f"job {job.id}: it goes on with 1 process", ""))
            self.assertEqual(resize(job.id, 2), (0, f"job {job.id}: it goes on with 2 processes", ""))
            self.assertEqual(resize(job.id, 2), (0, f"job {job.id}: it has 2 processes already", ""))
            code, said = job.stop()
        self.assertEqual(said, [f"processes: {n}, with elements: {n}" for n in (2, 3, 1, 2)] + ["all right"])
        self.assertEqual(code, 0)

    def test_more_than_there_is_room_for_changes_nothing(self):
        with Job(2) as job:
            code, said, error = resize(job.id, 100000)
            self.assertEqual((code, said), (1, ""))
            self.assertRegex(error, rf"^starling resize: job {job.id} stays as it is: 100000 processes are more than the \d+ that it "
                                    r"has room for \(MPI_UNIVERSE_SIZE\)$")
            self.assertEqual(job.stop(), (0, ["processes: 2, with elements: 2", "all right"]))

    def test_what_would_be_lost_keeps_a_process_from_leaving(self):
        with Job(2, "waiting") as job:
            code, _, error = resize(job.id, 1)
            self.assertEqual(code, 1)
            self.assertRegex(error, "stays as it is: element .* cannot leave process 1: it has a coroutine that waits")
            job.touch("wake")
            deadline = time.monotonic() + PATIENCE_S
            while resize(job.id, 1)[0] != 0 and time.monotonic() < deadline:
                pass
            self.assertEqual(job.stop(), (0, ["processes: 2, with elements: 2", "processes: 1, with elements: 1", "all right"]))

    def test_a_job_that_survives_loses_a_process_and_can_be_asked_before_and_after(self):
        with Job(3, "surviving", options=("--survive", "-q")) as job:
            asked = [3]

            def ask(count):
                deadline = time.monotonic() + PATIENCE_S
                while (answer := resize(job.id, count))[0] != 0 and time.monotonic() < deadline:
                    self.assertIn("died", answer[2])
                self.assertEqual(answer[0], 0, answer[2])
                is_told(count)

            def is_told(count):
                asked.append(count)
                self.assertEqual(job.hear(), f"processes: {count}, with elements: {count}")

            ask(2)
            ask(4)
            for victim in (-1, 0):  # one that joined, and process 0, which others ask
                os.kill(job.processes()[victim], signal.SIGKILL)
                is_told(asked[-1] - 1)
            ask(3)
            ask(1)
            self.assertEqual(job.stop(), (0, [f"processes: {n}, with elements: {n}" for n in asked] + ["all right"]))
        self.assertEqual(asked, [3, 2, 4, 3, 2, 3, 1])

    def test_a_job_that_takes_none_says_so(self):
        with subprocess.Popen([MPIEXEC, "-n", "1", "sleep", "60"]) as other:
            deadline = time.monotonic() + PATIENCE_S
            while (said := resize(other.pid, 2))[2].endswith("lists those that do") and time.monotonic() < deadline:
                pass
            other.terminate()
        self.assertEqual(said[0], 1)
        self.assertIn(f"job {other.pid} takes no other number of processes", said[2])

    def test_no_such_job(self):
        self.assertEqual(resize(99999999, 2), (1, "", "starling resize: no job 99999999 runs on this machine; 'starling ps' lists "
                                                      "those that do"))

    def test_what_is_no_number_is_refused(self):
        for number in ("0", "-1", "few"):
            self.assertEqual(resize("1", number)[0], 2)
        self.assertEqual(resize("1")[0], 2)

    def test_who_does_not_wait_takes_it_back(self):
        """The job is stopped meanwhile, so the question lies there when it goes on."""
        with Job(2) as job:
            stopped = job.processes()
            for each in stopped:
                subprocess.run(["kill", "-STOP", str(each)], check=True)
            with subprocess.Popen([STARLING, "resize", str(job.id), "1"], stderr=subprocess.PIPE, text=True) as impatient:
                self.assertIn("Ctrl-C takes it back", impatient.stderr.readline())
                impatient.terminate()
            for each in stopped:
                subprocess.run(["kill", "-CONT", str(each)], check=True)
            self.assertEqual(resize(job.id, 3)[1], f"job {job.id}: it goes on with 3 processes")
            self.assertEqual(job.stop(), (0, ["processes: 2, with elements: 2", "processes: 3, with elements: 3", "all right"]))


if __name__ == "__main__":
    MPIEXEC, STARLING, PROGRAM = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
