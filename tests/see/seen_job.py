# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job of another MPI under 'starling see', for the tests here.

usage of each: TEST.py STARLING PROGRAMS MPI LAUNCHER...: the programs are PROGRAMS/see_<name>_<MPI>
"""
import os
import re
import subprocess
import sys
import threading
import time

STARLING, PROGRAMS, MPI, *LAUNCHER = sys.argv[1:]
HANG, CALLS, LOAD, STEPS, THREADS = (os.path.join(PROGRAMS, f"see_{name}_{MPI}")
                                     for name in ("hang", "calls", "load", "steps", "threads"))
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1"}
# Each job has a session of its own: Open MPI's launcher ends the process group of a rank, which is that of the test until the
# rank has its own.
ALONE = {"env": ENVIRONMENT, "start_new_session": True}
PATIENCE_S = 60
SOURCE = os.path.join(os.path.dirname(__file__), "../observe/hang.c")


def starling(*arguments):
    return subprocess.run([STARLING, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def see(*words, options=()):
    """Runs a job to its end."""
    return subprocess.run([STARLING, "see", *options, *LAUNCHER, *words], **ALONE, capture_output=True, text=True,
                          timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL)


def position(name):
    """Where hang.c has this mark."""
    with open(SOURCE, encoding="utf-8") as file:
        return next(f"hang.c:{number}" for number, line in enumerate(file, 1) if f"position: {name}" in line)


def without_times(text):
    return re.sub(r"has been outside MPI for \d+(\.\d)? s", "is outside MPI", text)


class Seen:
    """A job that hangs, and is ended when its test is over."""

    def __init__(self, ranks, *program, options=("--quiet",), **variables):
        self.process = subprocess.Popen([STARLING, "see", *options, *LAUNCHER, "-n", str(ranks), *program],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        env={**ENVIRONMENT, **variables}, start_new_session=True)
        self.id = str(self.process.pid)
        self.output = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.output += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """The exit status; the output is whole then."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.ends()

    def ends(self):
        """The same of a job that comes to its end by itself."""
        status = self.process.wait(timeout=PATIENCE_S)
        self.reader.join(PATIENCE_S)
        self.process.stdout.close()
        return status

    def writes(self, pattern):
        """Waits until it is in the output."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, self.output)) and self.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    def said_once(self, is_right, *command):
        """What a command says of the job once it says what is wanted, or at last."""
        deadline = time.monotonic() + PATIENCE_S / 2
        while True:
            said = starling(*command, self.id)
            text = without_times(said.stdout)
            if is_right(text) or time.monotonic() > deadline:
                return text + said.stderr
            time.sleep(0.05)

    def sentence(self, wanted, *options):
        """The first line of why."""
        said = self.said_once(lambda text: text.split("\n")[0] == wanted, "why", *options)
        return said.split("\n")[0]
