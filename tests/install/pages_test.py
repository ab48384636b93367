#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Does what the how-to pages say, word for word, with an installed tree: copies their programs, compiles them by the
pages' lines, and runs them as the pages do, on every MPI that is here.

usage: pages_test.py CMAKE BUILD_FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/howto"
HELLO = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("hello from %d\\n", rank);
  MPI_Finalize();
}
"""
PROGRAM = """
#include <mpi.h>
#include <unistd.h>
#include <vector>
%s
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int n = 5;
  const auto work = [](int) { usleep(1000); };
  std::vector<int> ours(30000), sum(30000);
  for (int step = 0; step < 3; ++step) {
    %s
    MPI_Allreduce(ours.data(), sum.data(), 30000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
"""


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (PAGES / page).read_text(), re.M | re.S)


def clean_environment():
    """As a user has it who has nothing but the page: no path leads to the build or to the installed tree."""
    unwanted = ("STARLING_", "PAP_", "MPI", "PKG_CONFIG", "LD_", "CMAKE_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(unwanted)}
    for variable in ("ALLOW_RUN_AS_ROOT", "ALLOW_RUN_AS_ROOT_CONFIRM", "MCA_rmaps_base_oversubscribe"):
        kept["OMPI_" + variable] = "1"
    return kept


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = Path(tempfile.mkdtemp())
        cls.prefix = cls.top / "starling"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.top)

    def setUp(self):
        self.work = Path(tempfile.mkdtemp(dir=self.top))

    def do(self, commands):
        """All that is printed."""
        done = subprocess.run(["bash", "-e", "-c", commands], cwd=self.work, env={**clean_environment(), "PREFIX": str(self.prefix)},
                              text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=200)
        self.assertEqual(done.returncode, 0, commands + done.stdout)
        return done.stdout

    def test_the_first_program_of_object_arrays(self):
        (self.work / "squares.cpp").write_text(blocks("arrays.md", "cpp")[0])
        ran = 0
        for commands in blocks("arrays.md", "sh"):
            compiler = re.match(r"(?:export .*\n)?(mpicxx\S*) .*squares\.cpp", commands)
            if compiler is None or (compiler[1] != "mpicxx" and shutil.which(compiler[1]) is None):
                continue
            self.assertEqual(self.do(commands), "the sum of the squares of 0 to 999 is 332833500\n", commands)
            ran += 1
        self.assertGreater(ran, 0, "the page has no line that compiles its program")

    def test_the_first_ten_minutes_of_the_readme(self):
        (self.work / "hello.c").write_text(HELLO)
        shutil.copy(ROOT / "examples/farm/first.cpp", self.work)
        minutes = (ROOT / "README.md").read_text().partition("## The first ten minutes")[2].partition("\n## ")[0]
        said = [self.do("export PATH=$PREFIX/bin:$PATH\n" + lines) for lines in re.findall(r"^```sh\n(.*?)^```", minutes, re.M | re.S)]
        self.assertEqual(len(said), 3)
        self.assertEqual(sorted(said[0].splitlines()), [f"hello from {rank}" for rank in range(8)])
        self.assertIn("the longest way has 382 steps\n", said[1])
        self.assertIn("STARLING_", said[2])

    def test_the_figures_of_the_readme_are_those_of_the_page_behind_it(self):
        table = (ROOT / "README.md").read_text().partition("## How fast")[2].partition("\n## ")[0]
        rows = [tuple(cell.strip() for cell in row.split("|")[2:5]) for row in re.findall(r"^\| .*$", table, re.M)[1:]]
        page = (ROOT / "docs/reference/performance.md").read_text()
        measured = re.findall(r"^\| \w+ \| \d+ \| [\w-]+ \| (\S+) \| (\S+) \| (\S+) \|", page, re.M)
        self.assertEqual(len(rows), 5)
        self.assertEqual([row for row in rows if row not in measured], [])

    def test_late_processes_are_told_by_a_program_that_says_how_far_it_is(self):
        include, _, loop = blocks("late-processes.md", "cpp")[0].partition("\n")
        (self.work / "program.cpp").write_text(PROGRAM % (include, loop))
        ran = 0
        for line in blocks("late-processes.md", "sh")[0].splitlines():
            mpi = re.search(r"libstarling_pap_(\w+)\.so", line)[1]
            compiler = self.prefix / "bin/mpicxx" if mpi == "starling" else shutil.which(f"mpicxx.{mpi}")
            if compiler is None or not (self.prefix / f"lib/libstarling_pap_{mpi}.so").exists():
                continue
            self.do(f"{compiler} -std=c++20 program.cpp -idirafter $PREFIX/include -o program")
            launcher = f"$PREFIX/bin/mpiexec" if mpi == "starling" else f"mpiexec.{mpi}"
            said = self.do(re.sub(r"^\w+ -n 48", f"{launcher} -n 3", line))
            self.assertRegex(said, r"(?s)^pap: late ranks.* Allreduce +120000 +3 ")
            ran += 1
        self.assertGreater(ran, 0, "the page has no line that runs a program")


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
