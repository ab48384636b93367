#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What mpifort and its names say, that a program with each interface is built by them, and what the compiler refuses.

usage: wrappers_test.py BUILD_FOLDER
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path()
INTERFACES = {"mpif.h": "      program p\n      include 'mpif.h'\n      integer e\n      call MPI_Init(e)\n      call MPI_Finalize(e)\n"
                        "      end\n",
              "mpi": "program p\n use mpi\n integer e\n call MPI_Init(e)\n call MPI_Finalize(e)\nend\n",
              "mpi_f08": "program p\n use mpi_f08\n call MPI_Init()\n call MPI_Finalize()\nend\n"}
F08, MPI, MPIF = (f"program p\n {line}\n" for line in ("use mpi_f08", "use mpi", "include 'mpif.h'"))
CALLBACK = " type(MPI_Op) o\n call MPI_Op_create(mine, .true., o)\ncontains\n subroutine mine({})\n" \
           "  use, intrinsic :: iso_c_binding, only: c_ptr\n{} end subroutine\n"
RIGHT_CALLBACK = ("a, b, n, t", "  type(c_ptr), value :: a, b\n  integer :: n\n  type(MPI_Datatype) :: t\n")
WIDE = ("-fdefault-integer-8",)
# What the compiler takes, the like of it that it refuses, with which options, and what it says.
REFUSED = {
    "a LOGICAL of another kind": (
        F08 + " logical f\n call MPI_Initialized(f)\n", F08 + " logical(8) f\n call MPI_Initialized(f)\n", (),
        "no specific subroutine for the generic ‘mpi_initialized’"),
    "a LOGICAL of another kind in mpi": (
        MPI + " logical f\n call MPI_Initialized(f, i)\n", MPI + " logical(8) f\n call MPI_Initialized(f, i)\n", (),
        r"LOGICAL\(8\) to LOGICAL\(4\)"),
    "a callback with another interface": (
        F08 + CALLBACK.format(*RIGHT_CALLBACK), F08 + CALLBACK.format("n", "  integer n\n"), (),
        "no specific subroutine for the generic ‘mpi_op_create’"),
    "a communicator where a datatype belongs": (
        F08 + " call MPI_Send(i, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD)\n",
        F08 + " call MPI_Send(i, 1, MPI_COMM_WORLD, 0, 0, MPI_COMM_WORLD)\n", (),
        "no specific subroutine for the generic ‘mpi_send’"),
    "a size of mpif.h": (MPIF, MPIF + " call MPI_SIZEOF(1.0, i, j)\n", (), "‘mpi_sizeof’ conflicts with PROCEDURE"),
    "INTEGERs of 8 bytes with mpi_f08": (
        F08 + " call MPI_Comm_rank(MPI_COMM_WORLD, i)\n", None, WIDE,
        "no specific subroutine for the generic ‘mpi_comm_rank’"),
    "INTEGERs of 8 bytes with mpi": (
        MPI + " call MPI_Comm_rank(MPI_COMM_WORLD, i, j)\n", None, WIDE, r"INTEGER\(8\) to INTEGER\(4\)"),
    "INTEGERs of 8 bytes with mpif.h": (MPIF, None, WIDE, "mpif.h:[0-9:]+\\n\\nError: Division by zero")}


def run(*command, cwd=None):
    return subprocess.run([str(word) for word in command], cwd=cwd, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60)


class Wrappers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def test_every_interface_is_built_by_every_name(self):
        for name, (interface, text) in zip(("mpif77", "mpif90", "mpifort"), INTERFACES.items()):
            source = self.work / f"{name}.{'f' if interface == 'mpif.h' else 'f90'}"
            source.write_text(text)
            built = run(BUILD / "bin" / name, source, "-o", self.work / name, cwd=self.work)
            self.assertEqual(built.returncode, 0, built.stdout)
            self.assertEqual(run(self.work / name).returncode, 0)
            self.assertIn("libmpifort_abi.so.1 => " + str(BUILD / "lib"), run("ldd", self.work / name).stdout)

    def test_it_says_what_it_does(self):
        wrapper = BUILD / "bin" / "mpifort"
        self.assertEqual(run(wrapper, "-showme:libs").stdout.strip(), "mpifort_abi mpi_abi")
        self.assertIn(f"-I{BUILD}/include", run(wrapper, "-showme:compile").stdout)
        self.assertIn("-lmpifort_abi -lmpi_abi", run(wrapper, "-showme:link").stdout)
        self.assertIn("-lmpifort_abi -lmpi_abi", run(wrapper, "-show", "x.f90").stdout)

    def test_the_library_needs_no_other_of_ours(self):
        needed = run("readelf", "-d", BUILD / "lib" / "libmpifort_abi.so.1").stdout
        libraries = [line.split("[")[1].rstrip("]") for line in needed.splitlines() if "(NEEDED)" in line]
        self.assertEqual([name for name in libraries if not name.startswith(("libc.", "libm.", "ld-"))], ["libmpi_abi.so.1"])

    def test_the_compiler_refuses_mistakes(self):
        source = self.work / "program.f90"
        compiler = BUILD / "bin" / "mpifort"
        for what, (right, wrong, options, why) in REFUSED.items():
            with self.subTest(what):
                source.write_text(right + "end\n")
                taken = run(compiler, "-c", source, cwd=self.work)
                self.assertEqual(taken.returncode, 0, taken.stdout)
                source.write_text((wrong or right) + "end\n")
                refused = run(compiler, *options, "-c", source, cwd=self.work)
                self.assertNotEqual(refused.returncode, 0)
                self.assertRegex(refused.stdout, why)

    def test_mpif_h_is_plain_fortran(self):
        source = self.work / "program.f90"
        source.write_text(MPIF + " call MPI_Init(i)\nend\n")
        for standard in ("f95", "f2008", "legacy"):
            taken = run(BUILD / "bin" / "mpifort", f"-std={standard}", "-c", source, cwd=self.work)
            self.assertEqual(taken.returncode, 0, taken.stdout)


if __name__ == "__main__":
    BUILD = Path(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
