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
REFUSED = {"a LOGICAL of another kind": " logical(8) f\n call MPI_Initialized(f)\n",
           "a callback with another interface": " type(MPI_Op) o\n call MPI_Op_create(wrong, .true., o)\n"
                                                "contains\n subroutine wrong(n)\n  integer n\n end subroutine\n",
           "a communicator where a datatype belongs": " integer i\n call MPI_Send(i, 1, MPI_COMM_WORLD, 0, 0, MPI_COMM_WORLD)\n"}


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
        for what, text in REFUSED.items():
            source = self.work / "wrong.f90"
            source.write_text(f"program p\n use mpi_f08\n{text}end\n")
            self.assertNotEqual(run(BUILD / "bin" / "mpifort", "-c", source, cwd=self.work).returncode, 0, what)


if __name__ == "__main__":
    BUILD = Path(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
