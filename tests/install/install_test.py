#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Installs a build into an empty folder and builds two programs against it in every way that people do, where it was put and
where it was moved.

usage: install_test.py CMAKE BUILD_FOLDER [CLASS OF TESTS]
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CONSUMERS = Path(__file__).resolve().parent / "consumers"
CMAKE, BUILD = "cmake", ""


def clean_environment():
    """What the build's own environment says about MPI must not help the consumers, nor stand in their way."""
    unwanted = ("STARLING_", "MPI", "PKG_CONFIG", "LD_LIBRARY_PATH", "CMAKE_")
    return {key: value for key, value in os.environ.items() if not key.startswith(unwanted)}


def run(*command, **environment):
    result = subprocess.run([str(word) for word in command], env=clean_environment() | environment, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                            timeout=120)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout}")
    return result.stdout


class Installed:
    """The tests of one installed tree, inherited below for the tree where it was put and where it was moved."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def test_license(self):
        license = self.prefix / "share/doc/starling/LICENSE"
        self.assertEqual(license.read_text(), (Path(__file__).resolve().parents[2] / "LICENSE").read_text())

    def check_program(self, program, launcher):
        self.assertEqual(Path(launcher[0]).resolve(), (self.prefix / "bin/mpiexec").resolve())
        said = run(*launcher, "2", program)
        self.assertEqual(said.strip(), {"sum": "c: 2 ranks, sum 1", "ring": "c++: 2 ranks, good",
                                        "total": "fortran: 2 ranks, sum 1"}[Path(program).name])
        linked = run("ldd", program)
        self.assertIn(str(self.prefix / "lib"), linked, "the program runs on another library")

    def check_project(self, name, *options, programs=("sum", "ring")):
        build = self.work / "build"
        log = run(CMAKE, "-S", CONSUMERS / name, "-B", build, *options)
        log += run(CMAKE, "--build", build)
        launcher = (build / "mpiexec.txt").read_text().split()
        for program in programs:
            self.check_program(build / program, launcher)
        return log

    def needs_fortran(self):
        if not (Path(BUILD) / "include/mpif.h").is_file():
            self.skipTest("Starling was built without Fortran")

    def test_everything_is_in_its_place(self):
        expected = ["bin/starling", "bin/mpiexec", "bin/mpirun", "bin/mpicc", "bin/mpicxx", "bin/mpic++",
                    "lib/libmpi_abi.so", "lib/libmpi_abi.so.1", "include/mpi.h", "include/mpi_compat.h", "include/mpi-ext.h",
                    "lib/cmake/Starling/StarlingConfig.cmake", "lib/pkgconfig/starling.pc"]
        if (Path(BUILD) / "include/mpif.h").is_file():
            expected += ["bin/mpifort", "bin/mpif90", "bin/mpif77", "lib/libmpifort_abi.so", "lib/libmpifort_abi.so.1",
                         "include/mpif.h", "include/mpi.mod", "include/mpi_f08.mod", "lib/pkgconfig/starling-fortran.pc"]
        self.assertEqual([name for name in expected if not (self.prefix / name).is_file()], [])

    def test_nothing_of_the_engine_is_installed(self):
        headers = [path.name for path in (self.prefix / "include").iterdir() if path.name != "starling"]
        self.assertEqual([name for name in headers if not name.startswith("mpi")], [])
        archives = [path.name for path in self.prefix.rglob("*.a")]
        self.assertEqual([name for name in archives if not name.startswith(("libstarling_farm_", "libstarling_array_"))], [])

    def test_starling_see_finds_the_libraries_that_are_installed(self):
        for library in self.prefix.glob("lib/libstarling_see_*.so"):
            mpi = library.stem.rsplit("_", 1)[1]
            said = run(self.prefix / "bin/starling", "see", "--mpi", mpi, "sh", "-c", "echo $LD_PRELOAD")
            self.assertEqual(Path(said.strip()).resolve(), library.resolve())

    def test_mpicc_and_mpicxx_build_programs(self):
        launcher = [self.prefix / "bin/mpiexec", "-n"]
        run(self.prefix / "bin/mpicc", CONSUMERS / "sum.c", "-o", self.work / "sum")
        run(self.prefix / "bin/mpicxx", CONSUMERS / "ring.cpp", "-o", self.work / "ring")
        self.check_program(self.work / "sum", launcher)
        self.check_program(self.work / "ring", launcher)

    def test_each_header_brings_what_it_needs(self):
        headers = [path.relative_to(self.prefix / "include") for path in (self.prefix / "include/starling").glob("*.hpp")]
        self.assertIn(Path("starling/replace_dead.hpp"), headers)
        for header in headers:
            with self.subTest(header=header):
                program = self.work / "program.cpp"
                program.write_text(f"#include <{header}>\n")
                run(self.prefix / "bin/mpicxx", "-std=c++20", "-fsyntax-only", program)

    def test_the_compiler_is_named_by_our_variable_or_those_that_scripts_set_for_other_mpis(self):
        def compiler(wrapper, **environment):
            return run(self.prefix / "bin" / wrapper, "-showme:command", **environment).strip()
        usual = compiler("mpicc")
        self.assertEqual(compiler("mpicc", OMPI_CXX="other"), usual)
        for wrapper, ours, of_openmpi, of_mpich in (("mpicc", "STARLING_CC", "OMPI_CC", "MPICH_CC"),
                                                    ("mpicxx", "STARLING_CXX", "OMPI_CXX", "MPICH_CXX")):
            given = {of_mpich: "second"}
            self.assertEqual(compiler(wrapper, **given), "second")
            given[of_openmpi] = "first -x"
            self.assertEqual(compiler(wrapper, **given), "first -x")
            self.assertEqual(compiler(wrapper, **given, **{ours: "third"}), "third")

    def test_find_package_mpi_finds_it(self):
        log = self.check_project("find_mpi", f"-DMPI_HOME={self.prefix}")
        self.assertIn(f"wrappers {self.prefix}/bin/mpicc {self.prefix}/bin/mpi", log)

    def test_with_compilers_alone_the_mpiexec_of_another_mpi_starts_one_job(self):
        """FindMPI then takes the first mpiexec of the path."""
        build = self.work / "build"
        run(CMAKE, "-S", CONSUMERS / "find_mpi", "-B", build, f"-DMPI_C_COMPILER={self.prefix}/bin/mpicc",
            f"-DMPI_CXX_COMPILER={self.prefix}/bin/mpicxx")
        run(CMAKE, "--build", build, "--target", "sum")
        self.assertNotIn(str(self.prefix), (build / "mpiexec.txt").read_text())
        for launcher in ("mpiexec.openmpi", "mpiexec.mpich"):
            if shutil.which(launcher):
                said = run(launcher, "-n", "2", build / "sum", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1")
                self.assertEqual(said, "c: 2 ranks, sum 1\n", launcher)
        run(CMAKE, "-S", CONSUMERS / "find_mpi", "-B", build, f"-DMPIEXEC_EXECUTABLE={self.prefix}/bin/mpiexec")
        self.check_program(build / "sum", (build / "mpiexec.txt").read_text().split())

    def test_find_package_starling_finds_it(self):
        self.check_project("find_starling", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config_finds_it(self):
        path = str(self.prefix / "lib/pkgconfig")
        flags = run("pkg-config", "--cflags", "--libs", "starling", PKG_CONFIG_PATH=path).split()
        launcher = [run("pkg-config", "--variable=mpiexec", "starling", PKG_CONFIG_PATH=path).strip(), "-n"]
        run("cc", CONSUMERS / "sum.c", "-o", self.work / "sum", *flags)
        run("c++", CONSUMERS / "ring.cpp", "-o", self.work / "ring", *flags)
        self.check_program(self.work / "sum", launcher)
        self.check_program(self.work / "ring", launcher)

    def test_find_package_finds_fortran(self):
        self.needs_fortran()
        for option in (f"-DMPI_HOME={self.prefix}", "-DBY_NAME=ON"):
            shutil.rmtree(self.work / "build", ignore_errors=True)
            self.check_project("find_mpi_fortran", option, f"-DCMAKE_PREFIX_PATH={self.prefix}", programs=("sum", "total"))

    def test_mpifort_and_pkg_config_build_fortran(self):
        self.needs_fortran()
        launcher = [self.prefix / "bin/mpiexec", "-n"]
        flags = run("pkg-config", "--cflags", "--libs", "starling-fortran",
                    PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig")).split()
        for compiler, given in ((self.prefix / "bin/mpifort", []), ("gfortran", flags)):
            run(compiler, CONSUMERS / "total.f90", "-o", self.work / "total", *given)
            self.check_program(self.work / "total", launcher)

    def test_a_program_starts_alone_without_the_launcher(self):
        run(self.prefix / "bin/mpicc", CONSUMERS / "sum.c", "-o", self.work / "sum")
        self.assertEqual(run(self.work / "sum").strip(), "c: 1 ranks, sum 0")


class WhereItWasInstalled(Installed, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = Path(tempfile.mkdtemp())
        cls.prefix = cls.top / "first"
        run(CMAKE, "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.top)


class WhereItWasMoved(Installed, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.top = Path(tempfile.mkdtemp())
        run(CMAKE, "--install", BUILD, "--prefix", cls.top / "first")
        cls.prefix = (cls.top / "first").rename(cls.top / "second")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.top)


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
