#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that were linked against a library with nothing but the MPI Forum's list of functions in it run on Starling, and
programs of Starling's mpicc need nothing else of their library.

The list is tests/mpi/surface/prototypes.txt. Each function of the stub says its name and ends the program with status 86, so
that a program which runs to its end has left the stub behind.

usage: swapped_test.py BUILD_FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SURFACE = HERE.parent / "mpi/surface"
BUILD = Path()
STUBBED = 86
EVERY = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
%(declarations)s
static void (*const functions[])(void) = {%(names)s};
int main(void) {
  char first[4096] = "";
  Dl_info at;
  size_t i;
  for (i = 0; i < sizeof functions / sizeof *functions; ++i) {
    if (!dladdr((void*)functions[i], &at) || !realpath(at.dli_fname, first)) return 1;
    puts(first);
  }
  return 0;
}
"""


def functions():
    """All 664, and their twins of the profiling interface."""
    names = re.findall(r"^\w+ (MPI_\w+)\(", (SURFACE / "prototypes.txt").read_text(), re.MULTILINE)
    return names + ["P" + name for name in names]


def run(*command, code=0, **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("STARLING_", "LD_"))}
    done = subprocess.run([str(word) for word in command], env=clean | environment, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


class Swapped(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.top = Path(cls.folder.name).resolve()
        cls.stub = cls.top / "stub"
        cls.stub.mkdir()
        source = cls.top / "stub.c"
        lines = ["#include <stdlib.h>", "#include <stdio.h>"]
        lines += [f'int {name}(void) {{ puts("stub: {name}"); exit({STUBBED}); }}' for name in functions()]
        source.write_text("\n".join(lines) + "\n")
        library = cls.stub / "libmpi_abi.so.1"
        run("cc", "-shared", "-fPIC", source, "-o", library, "-Wl,-soname,libmpi_abi.so.1")
        (cls.stub / "libmpi_abi.so").symlink_to(library.name)
        cls.libraries = BUILD / "lib"

    def build(self, source, *words):
        """As on a machine without Starling: only mpi.h is its, without the names beyond the ABI."""
        compiler = "c++" if source.suffix == ".cpp" else "cc"
        program = self.top / source.stem
        run(compiler, "-DSTARLING_NO_COMPAT", "-I", BUILD / "include", source, "-o", program, "-L", self.stub, "-lmpi_abi", *words)
        return program

    def on_starling(self, program, ranks):
        return run(BUILD / "bin/mpiexec", "-n", ranks, program, LD_LIBRARY_PATH=str(self.libraries))

    def test_a_program_is_linked_to_the_stub_and_to_nothing_of_starling(self):
        program = self.build(HERE / "consumers/sum.c")
        said = run("readelf", "-d", program)
        self.assertEqual(sorted(re.findall(r"\(NEEDED\).*\[(.*)\]", said)), ["libc.so.6", "libmpi_abi.so.1"])
        self.assertNotIn("PATH)", said)
        self.assertEqual(run(program, code=STUBBED, LD_LIBRARY_PATH=str(self.stub)), "stub: MPI_Init\n")

    def test_programs_in_c_and_cpp_run(self):
        self.assertEqual(self.on_starling(self.build(HERE / "consumers/sum.c"), 4), "c: 4 ranks, sum 6\n")
        self.assertEqual(self.on_starling(self.build(HERE / "consumers/ring.cpp"), 4), "c++: 4 ranks, good\n")

    def test_callbacks_statuses_types_and_windows_cross_the_boundary(self):
        program = self.build(HERE / "swapped/wide.c")
        self.assertEqual(self.on_starling(program, 4), "wide: 4 ranks on Starling, good\n")
        self.assertEqual(run(program, LD_LIBRARY_PATH=str(self.libraries)), "wide: 1 ranks on Starling, good\n")

    def test_errors_have_their_class(self):
        self.assertEqual(self.on_starling(self.build(SURFACE / "arguments.c"), 1), "0 answers differ from the standard\n")

    def test_a_tool_in_the_program_takes_the_place_of_a_call(self):
        self.assertEqual(self.on_starling(self.build(SURFACE / "profiling.c"), 1), "the tool saw 1 of 1 calls\n")

    def test_every_function_is_starlings(self):
        names = functions()
        self.assertEqual(len(names), 2 * 664)
        source = self.top / "every.c"
        source.write_text(EVERY % {"declarations": "\n".join(f"void {name}(void);" for name in names), "names": ", ".join(names)})
        program = self.build(source, "-Wl,-z,now", "-D_GNU_SOURCE", "-ldl")
        for library, found in ((self.stub, self.stub / "libmpi_abi.so.1"), (self.libraries, self.libraries / "libmpi_abi.so.1")):
            said = run(program, LD_LIBRARY_PATH=str(library)).splitlines()
            self.assertEqual((len(said), set(said)), (len(names), {str(found.resolve())}))

    def test_programs_of_starlings_compilers_need_nothing_beyond_the_list(self):
        """All names are bound at the start, so one that the stub lacks would end the program sooner."""
        for compiler, source in (("mpicc", "consumers/sum.c"), ("mpicxx", "consumers/ring.cpp"), ("mpicc", "swapped/wide.c")):
            program = self.top / "built_here"
            run(BUILD / "bin" / compiler, HERE / source, "-o", program)
            said = run(program, code=STUBBED, LD_LIBRARY_PATH=str(self.stub), LD_BIND_NOW="1")
            self.assertEqual(said, "stub: MPI_Init\n")


if __name__ == "__main__":
    BUILD = Path(sys.argv[1]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
