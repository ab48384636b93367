# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of another MPI, which our launcher starts as so many worlds of one."""
import os
import shutil
import subprocess
import tempfile

from launch_support import BIN, PROBE, LaunchTest, main, run

# No real MPI is needed: what counts is for which library the program asks.
LIBRARY = "int MPI_Init(int* argc, char*** argv) { (void)argc; (void)argv; return 0; }"
PROGRAM = "int MPI_Init(int*, char***); int main(void) { return MPI_Init(0, 0); }"
COMPILER = shutil.which("cc") or shutil.which("gcc")


class Foreign(LaunchTest):
    def setUp(self):
        if COMPILER is None:
            self.skipTest("no compiler")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def compile(self, text, name, *options):
        source = os.path.join(self.folder.name, name + ".c")
        with open(source, "w") as file:
            file.write(text)
        program = os.path.join(self.folder.name, name)
        subprocess.run([COMPILER, source, "-o", program, *options], check=True)
        return program

    def linked_to(self, library):
        self.compile(LIBRARY, library, "-shared", "-fPIC", f"-Wl,-soname,{library}")
        return self.compile(PROGRAM, "program", f"-L{self.folder.name}", f"-l:{library}", f"-Wl,-rpath,{self.folder.name}",
                            "-Wl,--no-as-needed")

    def test_a_program_of_another_mpi_is_told_at_the_end(self):
        for library in ("libmpi.so.40", "libmpich.so.12", "libmpifort.so.12"):
            with self.subTest(library):
                job = run("-n", "3", self.linked_to(library))
                self.assertEqual(job.code, 0)
                self.assertEqual(job.err.count(f"runs on another one ({library}): each of the 3 ranks was rank 0 of 1"), 1,
                                 job.err)
                self.assertEqual(run("-q", "-n", "3", self.linked_to(library)).err, "")
                self.assertEqual(run("-n", "1", self.linked_to(library)).err, "")

    def test_an_interpreter_that_loads_another_mpi_is_told(self):
        self.linked_to("libmpi.so.40")
        script = f"import ctypes, time; ctypes.CDLL('{self.folder.name}/libmpi.so.40'); time.sleep(2.5)"
        self.assertIn("libmpi.so.40): each of the 2 ranks", run("-n", "2", "python3", "-c", script).err)

    def test_a_program_with_another_mpi_beside_ours_is_told(self):
        """As where C and Fortran were compiled for two."""
        wrapper = os.path.join(BIN, "mpicc")
        if not os.path.exists(wrapper):
            self.skipTest("there is no compiler wrapper in this build")
        source = os.path.join(self.folder.name, "both.c")
        with open(source, "w") as file:
            file.write("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n")
        self.compile("int fortran(void) { return 0; }", "libmpi_mpifh.so.40", "-shared", "-fPIC", "-Wl,-soname,libmpi_mpifh.so.40")
        for more, told in (([], 0), (["-Wl,--no-as-needed", f"-L{self.folder.name}", "-l:libmpi_mpifh.so.40", f"-Wl,-rpath,{self.folder.name}"], 1)):
            program = os.path.join(self.folder.name, f"both{told}")
            subprocess.run([wrapper, source, "-o", program, *more], check=True)
            job = run("-n", "2", program)
            self.assertEqual(job.code, 0, job.err)
            self.assertEqual(job.err.count("has loaded another MPI beside Starling"), told, job.err)
            self.assertEqual(job.err.count(f"{self.folder.name}/libmpi_mpifh.so.40"), told, job.err)
            self.assertEqual(job.err.count(f"-DMPI_HOME={os.path.realpath(os.path.join(BIN, '..'))}\n"), told, job.err)

    def test_programs_without_mpi_and_with_ours_are_not(self):
        self.assertEqual(run("-n", "2", "true").err, "")
        self.assertEqual(run("-n", "2", PROBE).err, "")
        for library in ("libmpi_abi.so.1", "libmpifort_abi.so.1"):
            self.assertEqual(run("-n", "2", self.linked_to(library)).err, "", library)


if __name__ == "__main__":
    main()
