# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the launcher's tests share: running mpiexec, and finding whatever a job left behind."""
import os
import subprocess
import time
import unittest
import uuid

# Taken out, for the programs that are started here read every STARLING_ variable.
BIN = os.environ.pop("STARLING_BIN", "") or os.path.join(os.path.dirname(__file__), "../../build/release/bin")
MPIEXEC = os.path.join(BIN, "mpiexec")
STARLING = os.path.join(BIN, "starling")
PROBE = os.path.join(BIN, "launch_probe")
STUCK = os.path.join(BIN, "launch_stuck")
TOKEN_NAME = "LAUNCH_TEST_TOKEN"
SANITIZED = bool(os.environ.pop("STARLING_SANITIZE", ""))


class Job:
    """A running mpiexec whose processes can be told from all others by a token in their environment."""

    def __init__(self, *arguments, stdin=subprocess.DEVNULL, environment=None, before=None):
        self.token = uuid.uuid4().hex
        variables = dict(os.environ, **{TOKEN_NAME: self.token}, **(environment or {}))
        self.process = subprocess.Popen(
            [MPIEXEC, *arguments], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables, text=True,
            preexec_fn=before)

    def processes(self):
        """The ids of all living processes of this job, mpiexec included."""
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if f"{TOKEN_NAME}={self.token}".encode() in file.read():
                        found.append(int(name))
            except OSError:
                continue
        return found

    def wait_for_processes(self, count, limit_s=60):
        deadline = time.monotonic() + limit_s
        while (found := len(self.processes())) < count:
            if time.monotonic() > deadline:
                raise AssertionError(f"{count} processes of the job are expected, and {found} are there")
            time.sleep(0.005)

    def wait_until_gone(self, limit_s=10):
        deadline = time.monotonic() + limit_s
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.01)
        return left

    def finish(self, limit_s=60):
        self.out, self.err = self.process.communicate(timeout=limit_s)
        self.code = self.process.returncode
        return self


def run(*arguments, input=None, environment=None, limit_s=60):
    """Runs mpiexec to its end."""
    job = Job(*arguments, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL, environment=environment)
    job.out, job.err = job.process.communicate(input=input, timeout=limit_s)
    job.code = job.process.returncode
    return job


def children_of(process):
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [int(word) for word in file.read().split()]


def stat_of(process):
    """What follows the name in /proc/<process>/stat: state, parent, ..."""
    with open(f"/proc/{process}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()


class LaunchTest(unittest.TestCase):
    maxDiff = None

    def assert_clean(self, job):
        self.assertEqual(job.wait_until_gone(), [], "processes of the job are left")


main = unittest.main
