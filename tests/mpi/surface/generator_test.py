#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The generator refuses rows that it cannot read, naming them, and writes what a row asks for.

usage: generator_test.py <source directory>
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "api"))
from generator import boundary, cpp, rows  # noqa: E402  (the path comes first)


class Rows(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        shutil.copytree(SOURCE / "api", self.folder / "api")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def with_row(self, chapter, row):
        with open(self.folder / "api" / "functions" / f"{chapter}.txt", "a", encoding="ascii") as file:
            file.write(row + "\n")
        return rows.Surface(self.folder / "api")

    def test_the_surface_has_503_functions_and_161_large_forms(self):
        functions = rows.Surface(self.folder / "api").functions
        names = [name for function in functions for name, _ in function.forms]
        self.assertEqual(len(names), 664)
        self.assertEqual(len(set(names)), 664)
        self.assertEqual(sum(name.endswith("_c") and name[:-2] in names for name in names), 161)

    def test_an_unknown_kind_is_refused_by_name(self):
        with self.assertRaisesRegex(rows.RowError, "group.txt: MPI_Odd.*'nonsense'"):
            self.with_row("group", "MPI_Odd - x:nonsense")

    def test_an_unknown_flag_is_refused_by_name(self):
        with self.assertRaisesRegex(rows.RowError, "MPI_Odd.*'soon'"):
            self.with_row("group", "MPI_Odd soon group:group")

    def test_a_check_without_its_communicator_is_refused(self):
        surface = self.with_row("group", "MPI_Odd - dest:dest")
        with self.assertRaisesRegex(rows.RowError, "MPI_Odd: dest needs a communicator"):
            boundary.boundary_cpp(surface, "group")

    def test_a_result_that_differs_is_narrowed_in_the_int_form_only(self):
        surface = self.with_row("comm", "MPI_Odd large comm:comm size:out_count")
        self.assertIn("int odd(MPI_Comm comm, MPI_Count *size);", cpp.calls_hpp(surface))
        text = boundary.boundary_cpp(surface, "comm")
        self.assertIn("odd(comm, &size_wide)", text)
        self.assertIn("*size = to_int(size_wide);", text)
        self.assertIn("odd(comm, size)", text)

    def test_an_argument_of_the_root_is_checked_there_only(self):
        surface = self.with_row("collective", "MPI_Odd - comm:comm root:root buf:room?(n,t)@root n:n t:elem")
        self.assertIn("(at_root(comm, root) && buf != MPI_IN_PLACE && ((rc = check_count(n, \"n\"))",
                      boundary.boundary_cpp(surface, "collective"))


if __name__ == "__main__":
    unittest.main()
