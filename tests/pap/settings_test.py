#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the preloaded library notes, what each of its variables changes, what it says of wrong ones, and that it refuses
a program of another MPI with a sentence.

usage: settings_test.py LIBRARY PROGRAM OTHERS LAUNCHER...     OTHERS: libraries for other MPIs, separated by commas
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY, PROGRAM, OTHERS, *LAUNCHER = sys.argv[1:]
IS_STARLING = LIBRARY.endswith("_starling.so")
BLOCKING = [*"Gatherv Scatterv Allgatherv Alltoall Alltoallv Alltoallw".split(),
            *"Reduce_scatter Reduce_scatter_block Scan Exscan".split()]
STARTED = [*"Ibarrier Ireduce Iallreduce Ibcast Igather Igatherv Iscatter Iscatterv Iallgather Iallgatherv".split(),
           *"Ialltoall Ialltoallv Ialltoallw Ireduce_scatter Ireduce_scatter_block Iscan Iexscan".split()]
NEIGHBOURS = [start + name for start in ("N", "In") for name in (
    "eighbor_allgather", "eighbor_allgatherv", "eighbor_alltoall", "eighbor_alltoallv", "eighbor_alltoallw")]
VALUES = {"PAP_MODE": "on, always, watch or off", "PAP_TABLE": "0 or 1", "PAP_LEAST_BYTES": "a number of bytes"}


FORTRAN = """
program simple
  use mpi
  integer :: code
  real(8) :: ours(20000), total(20000)
  call MPI_Init(code)
  ours = 1
  call MPI_Allreduce(ours, total, 20000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, code)
  call MPI_Finalize(code)
end program
"""
MPI = os.path.basename(LIBRARY).removeprefix("libstarling_pap_").removesuffix(".so")
OWN_FORTRAN = os.path.join(os.path.dirname(os.path.abspath(LAUNCHER[0])), "mpifort")
FORTRAN_COMPILER = shutil.which(OWN_FORTRAN if IS_STARLING else f"mpif90.{MPI}")


def run(library=LIBRARY, program=PROGRAM, **settings):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [*LAUNCHER, "-n", "3", "env", f"LD_PRELOAD={library}",
               *(f"{name}={value}" for name, value in settings.items()), program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)


class Settings(unittest.TestCase):
    def said(self, **settings):
        done = run(**settings)
        self.assertEqual((done.returncode, done.stdout), (0, "all right\n"), done.stderr)
        return done.stderr

    def test_other_collectives_are_noted(self):
        said = self.said()
        for name in BLOCKING + STARTED + NEIGHBOURS:
            self.assertRegex(said, rf"\+0x\w+ +{name} +\d+ el +1 ")

    @unittest.skipUnless(IS_STARLING, "once is enough")
    def test_each_variable_changes_something(self):
        watched = r" Allreduce +{} +5 "
        usual = self.said()
        self.assertRegex(usual, watched.format(40000))
        self.assertNotRegex(usual, watched.format(400))
        self.assertRegex(self.said(PAP_LEAST_BYTES="400"), watched.format(400))
        self.assertNotRegex(self.said(PAP_LEAST_BYTES="40001"), watched.format(40000))
        self.assertRegex(usual, r" Allreduce +40000 +5 +0 ")
        self.assertRegex(self.said(PAP_MODE="always"), r" Allreduce +40000 +5 +5 ")
        self.assertNotIn("pap:", self.said(PAP_MODE="off"))
        self.assertNotIn("pap:", self.said(PAP_TABLE="0"))
        self.assertRegex(self.said(PAP_MODE="watch", PAP_TABLE="1", PAP_LEAST_BYTES="0"), watched.format(400))

    @unittest.skipUnless(IS_STARLING, "once is enough")
    def test_wrong_values_are_told_once_and_count_as_not_set(self):
        for name, wrong in {"PAP_MODE": "sometimes", "PAP_TABLE": "maybe", "PAP_LEAST_BYTES": "32k"}.items():
            said = self.said(**{name: wrong})
            self.assertEqual(said.count(f"pap: {name}={wrong} is none of its values: {VALUES[name]}"), 1, said)
            self.assertIn("pap: late ranks", said)
        self.assertIn("PAP_LEAST_BYTES=-1 is none", self.said(PAP_LEAST_BYTES="-1", PAP_MODE="off"))
        self.assertIn("PAP_MODE= is none", self.said(PAP_MODE=""))

    def test_an_unknown_variable_is_told_with_those_that_there_are(self):
        said = self.said(PAP_COLOUR="red", PAP_TABLE="0")
        self.assertEqual(said, "pap: PAP_COLOUR is not known: there are " + ", ".join(VALUES) + "\n")

    @unittest.skipUnless(FORTRAN_COMPILER, "needs a Fortran compiler of this MPI")
    def test_fortran_is_seen_or_told_that_it_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "simple.f90"), os.path.join(folder, "simple")
            with open(source, "w", encoding="utf-8") as file:
                file.write(FORTRAN)
            subprocess.run([FORTRAN_COMPILER, source, "-o", program], check=True, timeout=100)
            said = run(program=program).stderr
            if MPI == "openmpi":
                self.assertEqual(said.count("pap: this MPI's Fortran calls go past preloaded libraries"), 1, said)
                self.assertNotIn("pap:", run(program=program, PAP_MODE="off").stderr)
            elif IS_STARLING:  # by its place in the program
                self.assertRegex(said, r"simple:\+0x\w+ +Allreduce +160000 +1 ")
            else:
                self.assertRegex(said, r"mpi_allreduce_\S* +Allreduce +160000 +1 ")

    def test_a_program_of_another_mpi_is_refused_with_a_sentence(self):
        names = {"openmpi": "Open MPI", "mpich": "MPICH", "starling": "Starling"}
        own = names[MPI]
        for other in filter(None, OTHERS.split(",")):
            done = run(other)
            self.assertNotEqual(done.returncode, 0)
            self.assertNotIn("all right", done.stdout)
            base = os.path.basename(other)
            built_for = names[base.removeprefix("libstarling_pap_").removesuffix(".so")]
            told = f"pap: {base} is built for {built_for}, and this program runs on {own}: preload"
            self.assertIn(told, done.stderr)
            self.assertNotRegex((done.stderr + done.stdout).lower(), r"sigsegv|segmentation|signal 11")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
