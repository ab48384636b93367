#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Processes that were started with different settings, or on different cores, choose the same algorithms."""
import os
import subprocess
import unittest

BIN = os.environ.get("UNLIKE_BIN", os.path.join(os.path.dirname(__file__), "../../../build/release/bin"))
MPIEXEC = os.path.join(BIN, "mpiexec")
PROGRAM = os.path.join(BIN, "mpi_unlike_jobs")
LIMIT = 60  # seconds, a net under what would take for ever

# Each decides alone how calls run; with any of them on one side only, calls do not fit.
SETTINGS = (
    {"STARLING_COLL_BCAST": "chain", "STARLING_COLL_ALLREDUCE": "ring", "STARLING_COLL_ALLTOALL": "pairwise"},
    {"STARLING_REPRODUCIBLE": "1"},
    {"STARLING_COLL_LINE_NS": "100000", "STARLING_COLL_MESSAGE_NS": "1"},
    {"STARLING_TUNING": "near.line_ns=100000 near.message_ns=1"},
    {"STARLING_CHECK": "collective"},
    {"STARLING_LATE": "off"},
    {"STARLING_LATE_LEAST_BYTES": "1"},
)


def start(words, settings=None, cores=None):
    launch = ["taskset", "-c", ",".join(map(str, cores))] if cores else []
    return subprocess.Popen([*launch, MPIEXEC, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            stdin=subprocess.DEVNULL, env={**os.environ, **(settings or {})})


def finish(job):
    try:
        out, _ = job.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        job.terminate()
        out, _ = job.communicate()
        out += "(hung)"
    return out


def pair(first, second):
    """What two jobs of two ranks print that connect; each given as settings and cores."""
    serving = start(["-n", "2", PROGRAM, "serve"], *first)
    port = serving.stdout.readline().strip()
    calling = start(["-n", "2", PROGRAM, "call", port], *second)
    return finish(calling), finish(serving)


class Unlike(unittest.TestCase):
    def expect_right(self, outputs):
        for out in outputs:
            self.assertEqual(out.splitlines()[-1:], ["0 wrong"], out)

    def test_jobs_of_other_settings(self):
        for settings in SETTINGS:
            with self.subTest(settings=settings):
                self.expect_right(pair((settings, None), (None, None)))
                self.expect_right(pair((None, None), (settings, None)))

    def test_jobs_on_other_cores(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("needs two cores")
        self.expect_right(pair((None, cores[:1]), (None, cores)))
        self.expect_right(pair((None, cores), (None, cores[:1])))

    def test_ranks_of_one_job(self):
        for settings in SETTINGS:
            with self.subTest(settings=settings):
                given = [f"{name}={value}" for name, value in settings.items()]
                out = finish(start(["-n", "2", "env", *given, PROGRAM, "alone", ":", "-n", "2", PROGRAM, "alone"]))
                self.expect_right([out])
                self.assertIn("have different settings where all need the same", out)
                self.assertIn(next(iter(settings)), out)


if __name__ == "__main__":
    unittest.main()
