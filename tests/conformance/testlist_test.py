#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
import tempfile
import unittest
from pathlib import Path

from testlist import cases, parse


class Parse(unittest.TestCase):
    def test_a_line_has_a_program_ranks_and_options(self):
        case = parse("exchange 8 arg=-n=3 arg=-v env=A=b=c timeLimit=5 xfail=ticket1 # remark")
        self.assertEqual((case.program, case.ranks, case.limit_s, case.known_there), ("exchange", 8, 5, True))
        self.assertEqual(case.arguments, ("-n=3", "-v"))
        self.assertEqual(case.settings, (("A", "b=c"),))

    def test_ranks_may_be_missing(self):
        self.assertEqual(parse("exchange timeLimit=3").ranks, 2)

    def test_a_line_may_say_how_much_memory_it_takes(self):
        self.assertEqual(parse("big 8 mem=20.1").memory_gb, 20.1)
        self.assertEqual(parse("big 8").memory_gb, 0)

    def test_comments_and_directives_are_no_cases(self):
        self.assertIsNone(parse("  # exchange 2"))
        self.assertIsNone(parse("@ONLY@ 2"))

    def test_some_cases_pass_by_failing(self):
        self.assertTrue(parse("abort 2 resultTest=TestErrFatal").must_fail)
        self.assertFalse(parse("abort 2").must_fail)


class Cases(unittest.TestCase):
    def test_lines_that_differ_in_foreign_settings_are_one_case(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "testlist").write_text("a 2\na 2 env=MPIR_CVAR_X=1\na 3\na 2 env=OWN=1\nsub\n")
            (Path(folder) / "sub").mkdir()
            self.assertEqual([case.name for case in cases(Path(folder))], ["a.2", "a.3", "a.2.OWN=1"])


if __name__ == "__main__":
    unittest.main()
