# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The last calls of a rank that is killed at any moment, in the report: what the program had written before each."""
import os
import random
import re
import signal
import tempfile
import time
import unittest

from launch_support import BIN, PROBE, Job, LaunchTest, main, run
from named_hosts import NamedHostsTest

PROGRAM = os.path.join(BIN, "launch_last_calls")
RANKS = 3
SHOWN = 8
SHOWN_OF_OTHERS = 4
OTHERS = "  the other ranks then, and their calls before, the latest first:"


def numbers(text):
    """The ranks in "ranks 0 to 3 and 5"."""
    return [number for first, last in re.findall(r"(\d+)(?: to (\d+))?", text)
            for number in range(int(first), int(last or first) + 1)]


def trails(report):
    """Where each of the other ranks was, and its calls before that."""
    found, open_lines = {}, []
    for line in report.splitlines():
        match = re.match(r"^( {4,})(?:(ranks? [\d, toand]+): )?(.*)$", line)
        if not match:
            continue
        indent = len(match[1])
        open_lines = [each for each in open_lines if each[0] < indent]
        if match[2]:
            open_lines.append((indent, numbers(match[2])))
        for rank in open_lines[-1][1]:
            found.setdefault(rank, []).append(match[3])
    return found


def lines_of(path):
    try:
        with open(path) as file:
            return file.read().splitlines()
    except OSError:
        return []


class Killed:
    def kill_somewhere(self, job, folder, victim, moment):
        """Kills a rank of a job once it has made so many calls; its report, and what it has written."""
        path = os.path.join(folder, str(victim))
        deadline = time.monotonic() + 60
        while len(lines_of(path)) < moment and time.monotonic() < deadline:
            time.sleep(0.001)
        killed = [process for process in job.processes() if self.has_open(process, path)]
        self.assertEqual(len(killed), 1)
        os.kill(killed[0], signal.SIGKILL)
        job.finish()
        self.assertEqual(job.code, 137, job.err)
        return job.err, lines_of(path)

    def has_open(self, process, path):
        folder = f"/proc/{process}/fd"
        try:
            return any(os.path.samefile(f"{folder}/{number}", path) for number in os.listdir(folder))
        except OSError:
            return False


class LastCalls(Killed, LaunchTest):
    def test_a_killed_ranks_last_calls_are_those_that_it_made(self):
        draw = random.Random(4)
        for victim in (0, 2, 1, 2):
            with self.subTest(victim=victim), tempfile.TemporaryDirectory() as folder:
                job = Job("-n", str(RANKS), PROGRAM, folder)
                report, written = self.kill_somewhere(job, folder, victim, draw.randrange(20, 200))
                match = re.search(rf"  last calls of rank {victim}:\n((?:    .*\n)+)", report)
                self.assertTrue(match, report)
                told = [re.sub(r"^ *\d+  |  <- in it$", "", line) for line in match.group(1).splitlines()]
                self.assertEqual(len(told), SHOWN)
                # It may have been killed between the line and the call.
                self.assertIn(told, [written[-SHOWN:], written[-SHOWN - 1:-1]])
                others = report[match.end():]
                self.assertTrue(others.startswith(f"{OTHERS}\n    rank"), report)
                told = trails(others)
                self.assertEqual(sorted(told), [rank for rank in range(RANKS) if rank != victim], report)
                for rank, calls in told.items():
                    # Oldest first, as the rank has written them; it went on for a moment, or was not in its call yet.
                    self.assertEqual(len(calls), SHOWN_OF_OTHERS, report)
                    self.assertRegex(calls[0], "^(in|outside MPI, after) MPI_")
                    called = [re.sub("^(in|outside MPI, after) ", "", call) for call in reversed(calls)]
                    made = lines_of(os.path.join(folder, str(rank)))
                    self.assertIn(called, [made[i:i + SHOWN_OF_OTHERS] for i in range(len(made))], report)

    def test_the_call_that_a_rank_aborts_in_is_marked_as_such(self):
        report = run("-n", "2", PROGRAM, "/tmp", "refused").err
        self.assertRegex(report, r"last calls of rank \d:\n(.*\n)* +3  MPI_Send of 1 x MPI_INT to 2 with tag 3 on "
                                 r"MPI_COMM_WORLD  <- in it\n")

    def test_a_rank_that_makes_no_call_has_no_last_calls(self):
        self.assertNotIn("last calls", run("-n", "2", PROBE, "exit", "1", "3").err)

    def test_quiet_leaves_them_out(self):
        self.assertNotIn("last calls", run("-q", "-n", "2", PROGRAM, "/tmp", "refused").err)


class OverHosts(Killed, NamedHostsTest):
    def test_the_ranks_of_all_hosts_are_in_the_report(self):
        job = self.job_on_hosts(PROGRAM, self.folder)
        report, _ = self.kill_somewhere(job, self.folder, 3, 50)
        match = re.search(rf"  last calls of rank 3:\n(?:    .*\n)+{OTHERS}\n((?:    .*\n)+)$", report)
        self.assertTrue(match, report)
        told = trails(match.group(1))
        self.assertEqual(sorted(told), [0, 1, 2], report)
        for calls in told.values():
            self.assertRegex(calls[0], r"^(in|outside MPI, after) MPI_")
            self.assertEqual(len(calls), SHOWN_OF_OTHERS, report)

    def test_quiet_leaves_them_out(self):
        report = self.run_on_hosts("-q", PROGRAM, self.folder, "refused").err
        self.assertIn("MPI_ERR_RANK", report)
        self.assertNotIn("ranks then", report)


if __name__ == "__main__":
    main()
