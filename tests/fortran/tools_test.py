#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the tools say of Fortran programs: messages, STARLING_CHECK, `starling why`, late ranks by their call sites, traces.

usage: tools_test.py BUILD_FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BUILD = Path()
MPIEXEC = "bin/mpiexec"
F08 = "program p\n use mpi_f08\n integer :: rank, size, n, i\n call MPI_Init()\n" \
      " call MPI_Comm_rank(MPI_COMM_WORLD, rank)\n call MPI_Comm_size(MPI_COMM_WORLD, size)\n{}\n call MPI_Finalize()\n{}end program\n"
WRONG_RANK = " call MPI_Send(n, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD)"
MISMATCH = " call MPI_Bcast(n, 1, MPI_INTEGER, mod(rank, 2), MPI_COMM_WORLD)"
HUNG = " if (rank > 0) call MPI_Recv(n, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)\n" \
       " if (rank == 0) call MPI_Barrier(MPI_COMM_WORLD)"
# Two calls of one routine, which only where they stand tells apart.
TWO_CALLS = """program two_calls
 use mpi_f08
 integer :: i
 real(8) :: ours(20000), total(20000)
 call MPI_Init()
 ours = 1
 do i = 1, 5
  call MPI_Allreduce(ours, total, 20000, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD)
 end do
 do i = 1, 3
  call MPI_Allreduce(ours, total, 20000, MPI_REAL8, MPI_MAX, MPI_COMM_WORLD)
 end do
 call MPI_Finalize()
end program
"""
MOST = 128


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=60, env={**os.environ, **environment})


class Tools(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def compiled(self, text):
        (self.work / "p.f90").write_text(text)
        built = run(BUILD / "bin/mpifort", "-g", f"-J{self.work}", self.work / "p.f90", "-o", self.work / "p")
        self.assertEqual(built.returncode, 0, built.stdout)
        return self.work / "p"

    def job(self, text, ranks=2, **environment):
        return run(BUILD / MPIEXEC, "-n", ranks, self.compiled(text), **environment)

    def test_a_message_names_the_routine_and_the_argument(self):
        said = self.job(F08.format(WRONG_RANK, ""))
        self.assertNotEqual(said.returncode, 0)
        self.assertRegex(said.stdout, r"MPI_Send\(buf=.*dest=99.*MPI_ERR_RANK")
        older = self.job("program p\n use mpi\n integer :: n\n call MPI_Init(n)\n"
                         f"{WRONG_RANK[:-1]}, n)\n call MPI_Finalize(n)\nend program\n")
        self.assertRegex(older.stdout, r"MPI_Send\(buf=.*dest=99.*MPI_ERR_RANK")

    def test_the_check_of_collectives_sees_fortran(self):
        said = self.job(F08.format(MISMATCH, ""), STARLING_CHECK="collective")
        self.assertNotEqual(said.returncode, 0)
        self.assertRegex(said.stdout, r"MPI_Bcast[\s\S]*root")

    def test_why_sees_a_hung_job(self):
        program = self.compiled(F08.format(HUNG, ""))
        with subprocess.Popen([BUILD / MPIEXEC, "-n", "3", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as job:
            try:
                end = time.monotonic() + 40
                said = ""
                while not re.search(r"(?s)MPI_Recv.*MPI_Barrier|MPI_Barrier.*MPI_Recv", said) and time.monotonic() < end:
                    time.sleep(0.3)
                    said = run(BUILD / "bin/starling", "why", job.pid).stdout
                self.assertIn("MPI_Recv", said)
                self.assertIn("MPI_Barrier", said)
            finally:
                job.terminate()

    def test_late_ranks_are_told_by_the_call_in_the_program(self):
        preloaded = BUILD / "lib/libstarling_pap_starling.so"
        program = self.compiled(TWO_CALLS)
        for command in ([], ["env", f"LD_PRELOAD={preloaded}"]):
            if command and not preloaded.is_file():
                self.skipTest("libs/pap was not built for this MPI")
            with self.subTest(command):
                said = run(BUILD / MPIEXEC, "-n", 2, *command, program, STARLING_LATE_TABLE="1").stdout
                rows = re.findall(r"(?mi)^(\S+) +allreduce +\d+ el +(\d+) ", said)
                self.assertEqual(sorted(calls for where, calls in rows if re.match(r"p[+:]", where)), ["3", "5"], said)
                self.assertNotIn("libmpifort_abi", said)

    def test_a_trace_has_the_lines_of_the_calls(self):
        trace = self.work / "trace.pftrace"
        done = run(BUILD / MPIEXEC, "--trace", trace, "-n", 2, self.compiled(TWO_CALLS))
        self.assertEqual(done.returncode, 0, done.stdout)
        shown = run(BUILD / "bin/starling", "trace", "summary", trace).stdout
        lines = [number for number, text in enumerate(TWO_CALLS.splitlines(), 1) if "Allreduce" in text]
        found = re.findall(r"MPI_Allreduce in \S+ at p.f90:(\d+)", shown)
        self.assertEqual({int(line) for line in found}, set(lines), shown)

    def test_too_many_procedures_are_told(self):
        body = " call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)\n"
        body += "".join(f" call MPI_Comm_create_errhandler(h{i}, e, code)\n if (code /= 0) print *, 'refused', {i}\n"
                        for i in range(MOST + 1))
        procedures = "contains\n" + "".join(f" subroutine h{i}(comm, code)\n  type(MPI_Comm) :: comm\n  integer :: code\n"
                                            f"  code = {i}\n end subroutine\n" for i in range(MOST + 1))
        text = F08.format(body, procedures).replace("size, n, i\n", "size, n, i, code\n type(MPI_Errhandler) :: e\n")
        said = self.job(text, ranks=1)
        self.assertEqual(re.findall(r"refused +(\d+)", said.stdout), [str(MOST)], said.stdout)
        self.assertIn(f"MPI_Comm_create_errhandler: the program has given it {MOST} different procedures", said.stdout)


if __name__ == "__main__":
    BUILD = Path(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
