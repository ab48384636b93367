# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the solver on small matrices, good and bad, under a launcher, and checks its answers and exit statuses.

usage: cg_test.py CG POISSON3D LAUNCHER [LAUNCHER_OPTION...]
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

TIMEOUT_S = 60
CG, POISSON3D, LAUNCHER = "", "", []

TRIDIAGONAL_SYMMETRIC = """%%MatrixMarket matrix coordinate real symmetric
% a comment

4 4 7
1 1 2.0
2 1 -1e0
2 2 +2
3 2 -1
3 3 2
4 3 -1
4 4 2
"""
TRIDIAGONAL_GENERAL = """%%MatrixMarket MATRIX Coordinate integer general\r
3 3 8\r
1 1 1\r
2 2 2\r
3 3 2\r
1 2 -1\r
2 1 -1\r
3 2 -1\r
2 3 -1\r
1 1 1\r
"""
PATTERN = """%%MatrixMarket matrix coordinate pattern symmetric
3 3 3
1 2
2 3
3 3
"""
BANNER = "%%MatrixMarket matrix coordinate real symmetric\n"
BAD_FILES = [
    ("empty", "", "empty"),
    ("text", "hello\n", "no Matrix Market file"),
    ("array", "%%MatrixMarket matrix array real general\n1 1\n1\n", "coordinate"),
    ("complex", "%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 1 0\n", "complex"),
    ("skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", "skew-symmetric"),
    ("no size", BANNER, "rows, columns and entries"),
    ("oblong", BANNER + "2 3 1\n1 1 1\n", "square"),
    ("truncated", BANNER + "2 2 2\n1 1 1\n", "truncated"),
    ("too long", BANNER + "1 1 1\n1 1 1\n1 1 1\n", "more than the 1 entries"),
    ("row outside", BANNER + "2 2 1\n3 1 1\n", "outside 1 to 2"),
    ("column zero", BANNER + "2 2 1\n1 0 1\n", "outside 1 to 2"),
    ("no number", BANNER + "1 1 1\n1 1 one\n", "'one' is not a finite number"),
    ("not finite", BANNER + "1 1 1\n1 1 nan\n", "not a finite number"),
    ("both triangles", BANNER + "2 2 4\n1 1 1\n2 1 1\n1 2 1\n2 2 2\n", "both sides of the diagonal"),
    ("zero diagonal", BANNER + "2 2 1\n1 1 1\n", "diagonal element 2"),
    ("not symmetric", BANNER.replace("symmetric", "general") + "2 2 3\n1 1 2\n2 2 2\n1 2 1\n", "not symmetric"),
]


def run(ranks, *arguments):
    # Decoded by hand, because text mode would turn the carriage returns of the progress line into line breaks.
    result = subprocess.run([*LAUNCHER, "-n", str(ranks), CG, *arguments], capture_output=True, timeout=TIMEOUT_S,
                            check=False)
    result.stdout = result.stdout.decode()
    result.stderr = result.stderr.decode()
    return result


class CgTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text):
        path = os.path.join(self.folder.name, "matrix.mtx")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def poisson(self, *edges):
        path = os.path.join(self.folder.name, "poisson.mtx")
        subprocess.run([POISSON3D, *map(str, edges), path], check=True)
        return path

    def assert_solved(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertRegex(result.stdout, r"result +solved")
        error = float(re.search(r"error +(\S+)", result.stdout).group(1))
        self.assertLess(error, 1e-5)

    def test_solves_small_matrices_on_more_ranks_than_rows(self):
        for text in (TRIDIAGONAL_SYMMETRIC, TRIDIAGONAL_GENERAL):
            for ranks in (1, 2, 5):
                with self.subTest(text=text, ranks=ranks):
                    self.assert_solved(run(ranks, self.write(text)))

    def test_solves_poisson_with_the_same_work_on_any_number_of_ranks(self):
        path = self.poisson(9, 8, 7)
        for ranks in (1, 3, 4):
            result = run(ranks, "--tolerance=1e-7", path)
            self.assert_solved(result)
            self.assertRegex(result.stdout, r"504 rows, 3146 nonzeros")
            residual = float(re.search(r"residual +(\S+) \(true", result.stdout).group(1))
            self.assertLessEqual(residual, 1e-7)

    def test_solves_a_pattern_with_a_shift_and_refuses_it_without(self):
        path = self.write(PATTERN)
        self.assert_solved(run(2, "--shift=3", path))
        self.assertEqual(run(2, path).returncode, 2)

    def test_fails_when_the_tolerance_is_not_reached(self):
        path = self.poisson(8)
        result = run(2, "--max-iterations=3", path)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("limit of 3 iterations", result.stdout)
        result = run(2, "--tolerance=1e-30", path)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("double precision", result.stdout)

    def test_names_what_is_wrong_with_a_matrix(self):
        for name, text, expected in BAD_FILES:
            with self.subTest(name):
                result = run(3, self.write(text))
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertIn(expected, result.stderr)

    def test_refuses_a_matrix_that_is_not_positive_definite(self):
        result = run(2, self.write(BANNER + "2 2 3\n1 1 1\n2 1 5\n2 2 1\n"))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("not positive definite", result.stdout)

    def test_refuses_a_bad_command_line(self):
        for arguments in (["--tolerance=2", "x"], ["--every=0", "x"], ["--progress=maybe", "x"], ["--colour", "x"],
                          [], ["x", "y"], ["/nonexistent.mtx"]):
            with self.subTest(arguments):
                self.assertEqual(run(2, *arguments).returncode, 2)

    def test_shows_progress_in_one_line_when_asked_and_in_plain_lines_otherwise(self):
        path = self.poisson(8)
        updating = run(2, "--progress=always", path)
        self.assertIn("\r[", updating.stdout)
        plain = run(2, "--progress=never", "--every=5", path)
        self.assertNotIn("\r[", plain.stdout)
        self.assertRegex(plain.stdout, r"(?m)^iteration +5 ")
        self.assertRegex(plain.stdout, r"(?m)^iteration +10 ")


if __name__ == "__main__":
    CG, POISSON3D, *LAUNCHER = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
