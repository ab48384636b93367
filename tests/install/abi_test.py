#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What programs were built against is still there (tests/install/abi, scripts/abi); and that script, on a small library and
header of which each kind of thing is taken away, changed or added.

usage: abi_test.py BUILD_FOLDER
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ABI = Path(__file__).resolve().parents[2] / "scripts/abi"
BUILD = ""
LIBRARY = """
int MPI_Old(int a) { return a; }
int MPI_Count_of(void) { return 1; }
char mpi_common_[8];
"""
HEADER = """
#define MPI_VERSION 5
#define MPI_LIMIT 12
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct {
  int MPI_SOURCE;
  int MPI_internal[5];
} MPI_Status;
enum { MPI_FIRST = 1, MPI_SECOND = 2 };
typedef int(MPI_Copy_function)(MPI_Comm comm, int keyval);
int MPI_Old(int number);
"""
FORTRAN = """
      integer MPI_LIMIT
      parameter (MPI_LIMIT=12)
      integer MPI_BOTTOM
      common /mpi_fortran_bottom/ MPI_BOTTOM
"""


def abi(*words):
    done = subprocess.run([sys.executable, "-B", ABI, *map(str, words)], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)
    return done.returncode, done.stdout


class ThisBuild(unittest.TestCase):
    def test_holds_all_that_programs_were_built_against(self):
        code, said = abi("--check", BUILD)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"^\d{4} facts of libmpi_abi\.so\.1, .*mpi\.h, mpi-ext\.h.* are as they were\n$")


class Small(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        (self.top / "lib").mkdir()
        (self.top / "include").mkdir()
        self.make()
        self.assertEqual(self.abi()[0], 0)

    def abi(self, *words):
        return abi(*words, "--lists", self.top / "lists", self.top)

    def make(self, library=LIBRARY, header=HEADER, fortran=FORTRAN, soname="libmpi_abi.so.1"):
        subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", self.top / "lib/libmpi_abi.so.1", f"-Wl,-soname,{soname}"],
                       input=library, text=True, check=True)
        (self.top / "include/mpi.h").write_text(header)
        (self.top / "include/mpif.h").write_text(fortran)

    def test_the_same_is_accepted(self):
        self.assertRegex(self.abi("--check")[1], r"^\d+ facts of libmpi_abi.so.1, mpi.h, mpif.h are as they were\n$")

    def test_the_name_of_a_parameter_is_free(self):
        self.make(header=HEADER.replace("int number", "int count"))
        self.assertEqual(self.abi("--check")[0], 0)

    def test_what_is_gone_or_another_is_named_and_never_written(self):
        """Several changes at a time, of which each is named."""
        for changes, names in (
                ({"library": (("int MPI_Old", "static int MPI_Old"), ("[8]", "[4]")),
                  "header": (("[5]", "[6]"), ("12", "13"), ("MPI_SECOND = 2", "MPI_SECOND = 3"), ("0x101", "0x102"),
                             ("int number", "long number"), ("int keyval", "long keyval")),
                  "fortran": (("=12", "=13"),)},
                 ("libmpi_abi.so.1: symbol MPI_Old is gone", "symbol mpi_common_ was B of 8 bytes and is B of 4 bytes",
                  "mpi.h: type MPI_Status was 24 bytes", "member MPI_Status.MPI_internal was 20 bytes at 4",
                  "constant MPI_LIMIT was (int) 12 and is (int) 13", "constant MPI_SECOND was (int) 2 and is (int) 3",
                  "constant MPI_COMM_WORLD was (MPI_Comm) 257 and is (MPI_Comm) 258",
                  "function MPI_Old was int (int) and is int (long)", "callback MPI_Copy_function was int (MPI_Comm, int)",
                  "mpif.h: constant MPI_LIMIT was 12 and is 13")),
                ({"library": (("int MPI_Old", "__attribute__((weak)) int MPI_Old"),),
                  "header": (("  int MPI_SOURCE;\n", "  int MPI_TAG, MPI_SOURCE;\n"),),
                  "fortran": (("_bottom/", "_ground/"),)},
                 ("symbol MPI_Old was T and is W", "type MPI_Status was 24 bytes", "member MPI_Status.MPI_SOURCE was 4 bytes at 0",
                  "member MPI_Status.MPI_internal was 20 bytes at 4", "mpif.h: common mpi_fortran_bottom is gone")),
                ({"library": (), "soname": "libmpi_abi.so.2"}, ("soname was libmpi_abi.so.1 and is libmpi_abi.so.2",))):
            made = {"library": LIBRARY, "header": HEADER, "fortran": FORTRAN}
            for what, pairs in changes.items():
                for old, new in pairs if what != "soname" else ():
                    self.assertIn(old, made[what])
                    made[what] = made[what].replace(old, new)
            self.make(**made, soname=changes.get("soname", "libmpi_abi.so.1"))
            for words in (["--check"], []):
                code, said = self.abi(*words)
                self.assertEqual(code, 1, said)
                for name in names:
                    self.assertIn(name, said)
                self.assertEqual(len(re.findall(r"^.*: .* (?:was|is gone)", said, re.M)), len(names), said)
                self.assertIn("programs that are built already would break", said)
        self.make()
        self.assertEqual(self.abi("--check")[0], 0)

    def test_another_soname_may_begin_anew(self):
        self.make(header=HEADER.replace("12", "13"), soname="libmpi_abi.so.2")
        self.assertEqual(self.abi("--break")[0], 0)
        self.assertEqual(self.abi("--check")[0], 0)

    def test_what_is_new_asks_for_the_list_to_be_renewed(self):
        self.make(library=LIBRARY + "int MPI_New(void) { return 2; }\n",
                  header=HEADER.replace("VERSION 5", "VERSION 6") + "int MPI_New(void);\n")
        code, said = self.abi("--check")
        self.assertEqual(code, 1)
        self.assertIn("libmpi_abi.so.1: symbol MPI_New is new\n", said)
        self.assertIn("mpi.h: function MPI_New is new\n", said)
        self.assertIn("constant MPI_VERSION is (int) 6 now\n", said)
        self.assertIn("Where that is meant, 'scripts/abi' adds it to the lists", said)
        self.assertEqual(self.abi()[0], 0)
        self.assertEqual(self.abi("--check")[0], 0)

    def test_without_a_build_there_is_nothing_to_hold(self):
        code, said = abi("--check", self.top / "nothing")
        self.assertEqual(code, 1)
        self.assertIn("build first", said)


if __name__ == "__main__":
    BUILD = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
