# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under Slurm: run by a command that waits for them, or by a batch script. Output goes to files, which all hosts
of the cluster see."""
import itertools
import os
import re
import signal
import subprocess
import time

FOLDER = os.environ.get("SLURM_TWO_NODES", "")  # scripts/slurm-two-nodes says where the hosts have a folder in common
SIZE = ("--nodes=2", "--ntasks=8")
LIMIT_S = 30
numbers = itertools.count()


class Job:
    """A command of Slurm, salloc or srun, that runs until its job has ended."""

    def __init__(self, command, environment=None, stdin=subprocess.DEVNULL):
        self.name = f"job{next(numbers)}"
        self.started = time.monotonic()
        self.start(command, {**os.environ, **(environment or {})}, stdin)

    def path(self, what):
        return os.path.join(FOLDER, f"{self.name}.{what}")

    def start(self, command, environment, stdin):
        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            self.process = subprocess.Popen([command[0], f"--job-name={self.name}", *command[1:]], stdin=stdin,
                                            stdout=out, stderr=err, env=environment, start_new_session=True)

    def status(self):
        """The exit status, None while the job runs."""
        return self.process.poll()

    def text(self, what):
        with open(self.path(what), encoding="utf-8", errors="replace") as file:
            return file.read()

    def said(self):
        return f"out: {self.text('out')[-2000:]}\nerr: {self.text('err')[-4000:]}"

    def until(self, is_so, what, limit_s=LIMIT_S):
        deadline = time.monotonic() + limit_s
        while not is_so():
            if time.monotonic() > deadline:
                self.cancel()
                raise AssertionError(f"after {limit_s} s not yet: {what}\n{self.said()}")
            time.sleep(0.02)

    def until_printed(self, word):
        self.until(lambda: word in self.text("out") or self.status() is not None, f"'{word}' in the output")
        if word not in self.text("out"):
            raise AssertionError(f"the job ended with status {self.status()} before it said '{word}'\n{self.said()}")

    def finish(self, limit_s=LIMIT_S):
        self.until(lambda: self.status() is not None, "the end of the job", limit_s)
        self.code, self.out, self.err = self.status(), self.text("out"), self.text("err")
        return self

    def cancel(self):
        subprocess.run(["scancel", f"--name={self.name}"], check=False)
        if self.status() is None:
            time.sleep(1)
            self.process.send_signal(signal.SIGKILL)


class BatchJob(Job):
    """The same within a batch script, which the first node runs."""

    def start(self, command, environment, stdin):
        with open(self.path("sh"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec " + " ".join(command) + "\n")
        for what in ("out", "err"):
            open(self.path(what), "wb").close()
        files = (f"--output={self.path('out')}", f"--error={self.path('err')}", self.path("sh"))
        said = subprocess.run(["sbatch", "--parsable", f"--job-name={self.name}", *SIZE, *files], stdin=stdin,
                              capture_output=True, text=True, env=environment, check=True)
        self.number = said.stdout.strip()

    def status(self):
        said = subprocess.run(["scontrol", "--oneliner", "show", "job", self.number],
                              capture_output=True, text=True, check=True)
        if re.search(r"JobState=(PENDING|RUNNING|COMPLETING|CONFIGURING)", said.stdout):
            return None
        status, number = map(int, re.search(r"ExitCode=(\d+):(\d+)", said.stdout).groups())
        return 128 + number if number else status

    def cancel(self):
        subprocess.run(["scancel", self.number], check=True)
