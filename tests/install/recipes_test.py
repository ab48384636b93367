#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The recipes for other packagers, as far as can be seen without their tools: they name what the build needs and what the built
programs load, and give options that the project has, with which it can be configured.

usage: recipes_test.py CMAKE BUILD_FOLDER [CLASS OF TESTS]
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "recipes"
CMAKE, BUILD = "cmake", ""
# Debian's names, and what Spack and conda call them. None: it is not there, and what needs it is left out.
NEEDED = {
    "cmake": ("cmake", "cmake"), "g++": ("cxx", 'compiler("cxx")'), "ninja-build": ("ninja", "ninja"),
    "pkg-config": ("pkgconfig", "pkg-config"), "python3": ("python", "python"), "libboost-dev": ("boost", "boost-cpp"),
    "libcli11-dev": ("cli11", "cli11"), "libdw-dev": ("elfutils", "elfutils"), "libfmt-dev": ("fmt", "fmt"),
    "libfabric-dev": ("libfabric", "libfabric"),
    "libhwloc-dev": ("hwloc", "libhwloc"), "libmetis-dev": ("metis", "metis"), "libpmix-dev": ("pmix", "libpmix-devel"),
    "libtomlplusplus-dev": ("tomlplusplus", "tomlplusplus"), "libsimgrid-dev": ("simgrid", None),
    "gfortran": ("fortran", 'compiler("fortran")'),
}
FOR_TESTS = {"libbenchmark-dev", "libgmock-dev", "libgtest-dev"}
MODULES = """
proc unknown {args} { puts $args }
source [lindex $argv 0]
"""


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=200, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def owner_of(path):
    """The package of a file, which may be known by its name from before /lib became a link."""
    for name in (path, path.removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "-S", name], text=True, capture_output=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise AssertionError(f"no package has {path}")


def spack():
    """What the Spack recipe says, to a stand-in for Spack: the words of its calls, and its options for CMake."""
    said = []
    module = types.ModuleType("spack.package")
    for name in ("maintainers", "license", "version", "variant", "provides", "depends_on", "generator"):
        setattr(module, name, lambda *words, _name=name, **_: said.append((_name, *words)))

    class CMakePackage:
        @staticmethod
        def define(name, value):
            return f"-D{name}={'ON' if value else 'OFF'}"

        def define_from_variant(self, name, variant):
            assert ("variant", variant) in said
            return self.define(name, True)

    module.CMakePackage = CMakePackage
    sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), module
    scope = {}
    exec(compile((RECIPES / "spack/package.py").read_text(), "package.py", "exec"), scope)  # pylint: disable=exec-used
    return said, scope["Starling"]


def configured(test, *options, code=0):
    """What configuring says, where GoogleTest and Google Benchmark are not to be found."""
    _, package = spack()
    with tempfile.TemporaryDirectory() as build:
        done = subprocess.run([CMAKE, "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON",
                               "-DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON", *package().cmake_args(), *options], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=200)
        said = " ".join(done.stdout.split())
        test.assertEqual(done.returncode, code, done.stdout)
        test.assertNotIn("STARLING_", said.partition("not used by the project")[2])
        return said, "".join(path.read_text() for path in Path(build).glob("libs/array/**/starling_array_pure.dir/Unity/*.cxx"))


class Recipes(unittest.TestCase):
    def needed(self):
        groups = [line.split() for line in (ROOT / "scripts/packages.txt").read_text().splitlines() if not line.startswith("#")]
        build = {package for group, package in groups if group == "build"} - FOR_TESTS
        self.assertEqual(sorted(build - NEEDED.keys()), [], "say here what Spack and conda call it, and add it to the recipes")
        return [NEEDED[package] for package in sorted(build)] + [NEEDED["gfortran"]]

    def options_exist(self, options):
        known = set(re.findall(r"^(?:option|set)\((\w+)", (ROOT / "CMakeLists.txt").read_text(), re.M))
        ours = {name for name in re.findall(r"-D(\w+)=", " ".join(options)) if name.startswith("STARLING_")}
        self.assertTrue(ours)
        self.assertEqual(sorted(ours - known), [])

    def test_the_one_for_spack_names_what_is_needed_and_options_that_exist(self):
        said, package = spack()
        depends = {words[1].split("@")[0] for words in said if words[0] == "depends_on"}
        self.assertEqual(sorted({name for name, _ in self.needed()} - depends), [])
        self.options_exist(package().cmake_args())
        self.assertEqual(package.build_targets, ["product"])

    def test_the_one_for_conda_names_what_is_needed_and_options_that_exist(self):
        text = (RECIPES / "conda/meta.yaml").read_text()
        listed = {re.split(" [>=]", line)[0].strip("{} ") for line in re.findall(r"^    - (.*)$", text, re.M)}
        self.assertEqual(sorted({name for _, name in self.needed() if name is not None} - listed), [])
        pattern = re.search(r'regex_pattern="(.*?)",', text)[1].replace("\\\\", "\\")
        self.assertRegex(re.search(pattern, (ROOT / "CMakeLists.txt").read_text())[1], r"^\d+\.\d+\.\d+$")
        with tempfile.TemporaryDirectory() as folder:
            cmake = Path(folder) / "cmake"
            cmake.write_text('#!/bin/sh\necho "$@"\n')
            cmake.chmod(0o755)
            said = run(RECIPES / "conda/build.sh",
                       env={"PATH": f"{folder}:{os.environ['PATH']}", "PREFIX": "/prefix", "CMAKE_ARGS": "-DA=1 -DB=2"})
        configure, build, install = said.splitlines()
        self.assertIn(" -DA=1 -DB=2 ", configure)
        self.options_exist(configure.split())
        self.assertEqual(build, "--build build/conda --target product")
        self.assertEqual(install, "--install build/conda --prefix /prefix")

    def test_the_product_is_configured_without_what_tests_and_benchmarks_need(self):
        said, sources = configured(self)
        self.assertIn("MPI library, launcher, wrappers, tools yes", said)
        self.assertIn("graph partitions by METIS yes", said)
        self.assertIn("libfabric between nodes (STARLING_NET=ofi) yes", said)
        self.assertIn("starling simulate yes", said)
        self.assertIn("/partition.cpp", sources)
        self.assertNotIn("/partition_without_metis.cpp", sources)

    def test_the_container_has_what_the_programs_load(self):
        if shutil.which("dpkg-query") is None:
            self.skipTest("this is not Debian")
        text = (RECIPES / "container/Containerfile").read_text()
        last = text[text.rindex("FROM "):]
        packages = set(re.search(r"--no-install-recommends \\\n(.*?) \\\n", last, re.S)[1].split())
        packages |= {"libc6", "libgcc-s1", "libstdc++6"}  # those need each other
        build = Path(BUILD)
        files = [build / "bin/starling", build / "bin/starling-symbolize", build / "bin/starling-check-hosts", build / "bin/starling-simulate",
                 *(build / "lib").glob("libmpi*_abi.so.1"), build / "lib/libstarling_pap_starling.so"]
        for file in files:
            for path in re.findall(r"^NEEDED: +(\S+)$", run("objdump", "-p", file).replace("  NEEDED", "NEEDED:"), re.M):
                if path.startswith(("libmpi", "ld-linux")):
                    continue
                place = re.search(rf"^\s*{re.escape(path)} => (\S+)", run("ldd", file), re.M)[1]
                self.assertIn(owner_of(os.path.realpath(place)), packages, f"{file.name} loads {path}")
        self.assertIn("RUN /starling/scripts/install /opt/starling\n", text)
        self.assertIn("COPY --from=build /opt/starling /opt/starling\n", last)

    def test_the_module_sets_paths_of_the_installed_tree(self):
        if shutil.which("tclsh") is None:
            self.skipTest("tclsh is not here")
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "read.tcl").write_text(MODULES)
            said = run("tclsh", Path(folder) / "read.tcl", RECIPES / "modulefile")
        for line in ("prepend-path PATH /opt/starling/bin", "prepend-path MANPATH /opt/starling/share/man",
                     "setenv MPI_HOME /opt/starling"):
            self.assertIn(line + "\n", said)


class Lacking(unittest.TestCase):
    """Builds without what can be done without."""

    def test_the_product_is_configured_without_metis_and_says_what_it_lacks(self):
        for options, why in ((["-DSTARLING_METIS=OFF"], "STARLING_METIS is OFF"),
                             (["-DMETIS_INCLUDE_DIR=OFF"], "METIS is not here (on Debian: apt install libmetis-dev)")):
            said, sources = configured(self, *options)
            self.assertIn("object arrays for starling", said)
            self.assertIn(f"graph partitions by METIS no: {why}", said)
            self.assertIn("/partition_without_metis.cpp", sources)
            self.assertNotIn("/partition.cpp", sources)

    def test_the_product_is_configured_without_libfabric_and_says_so(self):
        for options, why in ((["-DSTARLING_OFI=OFF"], "STARLING_OFI is OFF"),
                             (["-DSTARLING_OFI=AUTO", "-DSTARLING_OFI_INCLUDE=OFF"], "rdma/fi_endpoint.h is not here (on Debian: "
                                                                                     "apt install libfabric-dev)")):
            said, _ = configured(self, *options)
            self.assertIn(f"libfabric between nodes (STARLING_NET=ofi) no: {why}", said)
        said, _ = configured(self, "-DSTARLING_OFI_INCLUDE=OFF", code=1)
        self.assertIn("configure with -DSTARLING_OFI=OFF", said)

    def test_tests_are_not_configured_without_metis(self):
        said, _ = configured(self, "-DSTARLING_BUILD_TESTS=ON", "-DSTARLING_METIS=OFF", code=1)
        self.assertIn("STARLING_BUILD_TESTS=OFF to build without METIS", said)


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
