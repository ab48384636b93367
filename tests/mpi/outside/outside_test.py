#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Calls before MPI_Init and after MPI_Finalize, and errors under MPI_ERRORS_ARE_FATAL, as a user of a shell meets them."""
import os
import subprocess
import sys
import unittest

BIN = os.environ.get("MPI_OUTSIDE_BIN", os.path.join(os.path.dirname(__file__), "../../../build/release/bin"))


def run(what, ranks):
    """Exit status, output and errors of the program, alone (0 ranks) or under mpiexec."""
    program = [os.path.join(BIN, "mpi_outside"), what]
    command = program if ranks == 0 else [os.path.join(BIN, "mpiexec"), "-n", str(ranks), *program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class Outside(unittest.TestCase):
    def expect_failure(self, what, *words):
        for ranks in (0, 1, 3):
            with self.subTest(ranks=ranks):
                code, out, err = run(what, ranks)
                self.assertNotEqual(code, 0)
                self.assertNotIn("is through", out)
                for word in words:
                    self.assertIn(word, err)

    def test_inquiries_are_allowed_at_any_time(self):
        for ranks in (0, 1, 3):
            with self.subTest(ranks=ranks):
                code, out, err = run("allowed", ranks)
                self.assertEqual((code, out.count("is through"), err), (0, max(ranks, 1), ""))

    def test_a_call_before_init_names_itself_and_the_reason(self):
        self.expect_failure("before", "MPI_Comm_rank", "MPI_Init")

    def test_a_call_after_finalize_names_itself_and_the_reason(self):
        self.expect_failure("after", "MPI_Barrier", "MPI_Finalize")

    def test_a_second_init_is_refused(self):
        self.expect_failure("twice", "MPI_Init")

    def test_an_error_is_fatal_unless_the_program_says_otherwise(self):
        self.expect_failure("fatal", "MPI_Send", "dest", "1000")

    def test_the_message_of_a_mistake_names_call_argument_and_class(self):
        program = os.path.join(BIN, "mpi_mistakes")
        count = int(subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout)
        self.assertGreater(count, 30)
        for number in range(count):
            done = subprocess.run([program, str(number)], capture_output=True, text=True, timeout=60)
            call, argument = done.stdout.split()[:2]
            with self.subTest(call=call, argument=argument):
                self.assertNotEqual(done.returncode, 0)
                self.assertNotIn("unnoticed", done.stdout)
                self.assertIn(f"{call}(", done.stderr)
                self.assertIn("MPI_ERR_", done.stderr)
                self.assertIn(f"{argument}=", done.stderr)
                reason = done.stderr.split("MPI_ERR_", 1)[1].split(":", 1)[1]
                self.assertGreater(len(reason.split()), 3)

    def test_abort_gives_its_code_to_the_shell(self):
        for ranks in (0, 1, 3):
            with self.subTest(ranks=ranks):
                self.assertEqual(run("abort", ranks)[0], 41)


if __name__ == "__main__":
    sys.exit(unittest.main())
