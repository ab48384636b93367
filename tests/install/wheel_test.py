#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Python wheel of scripts/wheel, installed into an environment of its own without any network, used, and removed.

usage: wheel_test.py BUILD_FOLDER
"""
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONSUMERS = Path(__file__).resolve().parent / "consumers"
BUILD = ""
# As Python packages that were built for the standard ABI find their MPI: beside the interpreter.
PROGRAM = """
import ctypes, sys
mpi = ctypes.CDLL(sys.prefix + "/lib/libmpi_abi.so.1", ctypes.RTLD_GLOBAL)
world, size = ctypes.c_void_p(0x101), ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_size(world, ctypes.byref(size))
print("one of", size.value)
mpi.MPI_Finalize()
"""


def run(*command):
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("STARLING_", "MPI", "LD_", "PYTHON", "PIP_"))}
    done = subprocess.run([str(word) for word in command], env=kept, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=200)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = Path(cls.folder.name)
        cls.wheel = Path(run(ROOT / "scripts/wheel", BUILD, cls.top).strip())
        run(sys.executable, "-m", "venv", cls.top / "env")
        cls.bin = cls.top / "env/bin"
        cls.before = {str(path) for path in (cls.top / "env").rglob("*")}
        run(cls.bin / "python", "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", cls.wheel)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_programs_are_compiled_and_run(self):
        run(self.bin / "mpicc", CONSUMERS / "sum.c", "-o", self.top / "sum")
        run(self.bin / "mpic++", CONSUMERS / "ring.cpp", "-o", self.top / "ring")
        self.assertEqual(run(self.bin / "mpiexec", "-n", "2", self.top / "sum"), "c: 2 ranks, sum 1\n")
        self.assertEqual(run(self.bin / "mpirun", "-n", "2", self.top / "ring"), "c++: 2 ranks, good\n")
        self.assertIn(str(self.top / "env/lib/libmpi_abi.so.1"), run("ldd", self.top / "sum"))
        if (self.bin / "mpifort").exists():
            run(self.bin / "mpif90", CONSUMERS / "total.f90", "-o", self.top / "total")
            self.assertEqual(run(self.bin / "mpirun", "-n", "2", self.top / "total"), "fortran: 2 ranks, sum 1\n")

    def test_python_finds_the_library_beside_itself(self):
        (self.top / "program.py").write_text(PROGRAM)
        self.assertEqual(run(self.bin / "mpiexec", "-n", "3", self.bin / "python", self.top / "program.py"), "one of 3\n" * 3)

    def test_what_a_crash_is_explained_by_is_found(self):
        (self.top / "crash.c").write_text("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); *(volatile int*)16 = 1; return 0; }\n")
        run(self.bin / "mpicc", "-g", self.top / "crash.c", "-o", self.top / "crash")
        with self.assertRaisesRegex(AssertionError, r"main at .*crash\.c:2"):
            run(self.bin / "mpiexec", "-n", "1", self.top / "crash")

    def test_it_says_which_version_it_is(self):
        version = run(self.bin / "mpiexec", "--version").split()[1]
        self.assertIn(f"starling_mpi-{version}-py3-none-linux_", self.wheel.name)
        with zipfile.ZipFile(self.wheel) as archive:
            self.assertIn(f"\nVersion: {version}\n", archive.read(f"starling_mpi-{version}.dist-info/METADATA").decode())
            for entry in archive.infolist():
                self.assertTrue((entry.external_attr >> 16) & 0o400 or entry.filename.endswith("RECORD"), entry.filename)

    def test_when_it_is_removed_nothing_is_left(self):  # the last one
        run(self.bin / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "--disable-pip-version-check", "starling-mpi")
        left = {str(path) for path in (self.top / "env").rglob("*") if path.is_file()} - self.before
        self.assertEqual(sorted(name for name in left if "__pycache__" not in name), [])


if __name__ == "__main__":
    BUILD = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
