# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
from spack.package import *


class Starling(CMakePackage):
    """An MPI library with the standard MPI-5.0 ABI, its launcher and tools, a work farm and object arrays."""

    maintainers("starling")
    license("BSD-3-Clause")

    version("main")

    variant("fortran", default=True, description="mpif.h and the modules mpi and mpi_f08")
    variant("ofi", default=True, description="Reach other nodes over libfabric")
    variant("pmix", default=True, description="Join the jobs of launchers that speak PMIx")
    variant("simulate", default=False, description="starling simulate: collective operations on simulated clusters")

    provides("mpi@:5.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("boost", type="build")
    depends_on("cli11", type="build")
    depends_on("fmt", type="build")
    depends_on("tomlplusplus", type="build")
    depends_on("elfutils")
    depends_on("hwloc@2:")
    depends_on("libfabric@1.11:", when="+ofi")
    depends_on("metis@5:")
    depends_on("pmix@4:", when="+pmix")
    depends_on("simgrid@3.32:", when="+simulate")

    generator("ninja")
    build_targets = ["product"]

    def cmake_args(self):
        return [
            self.define_from_variant("STARLING_FORTRAN", "fortran"),
            self.define_from_variant("STARLING_OFI", "ofi"),
            self.define_from_variant("STARLING_PMIX", "pmix"),
            self.define_from_variant("STARLING_SIMULATE", "simulate"),
            self.define("STARLING_BUILD_TESTS", False),
            self.define("STARLING_BUILD_BENCH", False),
            self.define("STARLING_BUILD_EXAMPLES", False),
        ]

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = self.prefix.bin.mpicc
        self.spec.mpicxx = self.prefix.bin.mpicxx
        self.spec.mpifc = self.prefix.bin.mpif90
        self.spec.mpif77 = self.prefix.bin.mpif77
