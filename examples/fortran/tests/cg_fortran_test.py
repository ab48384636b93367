#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Fortran solver gives the answer of the C++ one on the same file, with any number of ranks.

usage: cg_fortran_test.py CG_FORTRAN CG POISSON3D MPIEXEC
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FORTRAN, CPP, POISSON, MPIEXEC = sys.argv[1:5]


def solve(program, ranks, path):
    done = subprocess.run([MPIEXEC, "-n", str(ranks), program, path], text=True, capture_output=True, check=False, timeout=60)
    numbers = dict(re.findall(r"^(iterations|residual|error) +(\S+)", done.stdout, re.M))
    return done, {name: float(number) for name, number in numbers.items()}


class Solver(unittest.TestCase):
    def test_it_has_the_same_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "poisson.mtx")
            subprocess.run([POISSON, "12", path], check=True, timeout=60)
            _, wanted = solve(CPP, 3, path)
            for ranks in (1, 3, 4):
                done, found = solve(FORTRAN, ranks, path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertLessEqual(abs(found["iterations"] - wanted["iterations"]), 1)
                self.assertLess(found["residual"], 1e-8)
                self.assertLess(abs(found["error"] - wanted["error"]), 0.1 * wanted["error"])

    def test_a_file_that_is_none_is_said(self):
        done, _ = solve(FORTRAN, 2, "/no/such/file")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/no/such/file cannot be read", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
