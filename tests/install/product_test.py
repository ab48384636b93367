#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What 'cmake --install' does before it writes anything (cmake/StarlingProduct.cmake), on a small project.

usage: product_test.py CMAKE
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
CMAKE = "cmake"


class Product(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.build = self.top / "build"
        self.configured = self.run_cmake("-S", HERE / "product", "-B", self.build, "-G", "Ninja",
                                         f"-DSTARLING_CMAKE={HERE.parents[1] / 'cmake'}")

    def run_cmake(self, *words, code=0, **environment):
        done = subprocess.run([CMAKE, *map(str, words)], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, env=os.environ | environment, cwd=self.top, check=False)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def install(self, prefix, **more):
        return self.run_cmake("--install", self.build, "--prefix", prefix, **more)

    def files(self, prefix):
        return sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())

    def test_configuring_tells_what_is_in_and_what_is_not_and_why(self):
        self.assertRegex(self.configured, r"Small 1\.2\.3 has:\n--   one +yes\n--   three +no: it is not here\n")

    def test_what_is_missing_is_built_first_and_named(self):
        self.run_cmake("--build", self.build, "--target", "one")
        said = self.install(self.top / "new")
        self.assertIn("Not built yet, so built first: two\n", said)
        self.assertEqual(self.files(self.top / "new"), ["lib/libone.so", "lib/libtwo.so"])
        self.assertNotIn("built first", self.install(self.top / "again"))

    def test_nothing_is_installed_when_that_build_fails(self):
        (self.build / "build.ninja").write_text("rule broken\n  command = false\nbuild product: broken\n")
        self.assertIn("the build of what is missing failed", self.install(self.top / "new", code=1))
        self.assertFalse((self.top / "new").exists())

    def test_a_prefix_that_takes_no_files_is_refused(self):
        (self.top / "file").write_text("")
        self.assertIn("takes no files", self.install(self.top / "file/below", code=1))

    def test_a_prefix_and_a_destdir_that_are_relative_are_meant_from_where_cmake_was_called(self):
        self.install("here")
        self.assertEqual(self.files(self.top / "here"), ["lib/libone.so", "lib/libtwo.so"])
        self.install("/usr", DESTDIR="package")
        self.assertEqual(self.files(self.top / "package"), ["usr/lib/libone.so", "usr/lib/libtwo.so"])
        (self.top / "file").write_text("")
        self.assertIn(f"'{self.top.resolve()}/file' takes no files", self.install("file/below", code=1).replace("\n  ", " "))

    def test_a_prefix_with_another_mpi_is_refused_and_one_with_ours_is_not(self):
        prefix = self.top / "mpi"
        (prefix / "bin").mkdir(parents=True)
        (prefix / "bin/mpicc").write_text("other")
        self.assertIn("holds another MPI (bin/mpicc)", self.install(prefix, code=1).replace("\n  ", " "))
        self.assertEqual(self.files(prefix), ["bin/mpicc"])
        (prefix / "bin/mpicc").unlink()
        (prefix / "lib").mkdir()
        (prefix / "lib/libmpi_abi.so.1").write_text("other")
        self.assertIn("holds another MPI (lib/libmpi_abi.so.1)", self.install(prefix, code=1).replace("\n  ", " "))
        (prefix / "bin/starling").write_text("ours")
        self.install(prefix)
        self.assertIn("lib/libone.so", self.files(prefix))

    def test_packages_are_made_behind_destdir(self):
        self.install("/usr", DESTDIR=str(self.top / "package"))
        self.assertEqual(self.files(self.top / "package"), ["usr/lib/libone.so", "usr/lib/libtwo.so"])


if __name__ == "__main__":
    CMAKE = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
