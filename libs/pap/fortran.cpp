// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Fortran programs on Open MPI: their calls go past preloaded libraries, which they are told once.
#include <mpi.h>

#if defined(OPEN_MPI)

#include <dlfcn.h>

#include "library.hpp"
#include "noted.hpp"

namespace {

/// The function of that name that would have been called without this library.
template <typename Function>
Function* below(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

STARLING_PAP_EXPORT void mpi_init_(MPI_Fint* code) {
  below<void(MPI_Fint*)>("mpi_init_")(code);
  starling::pap::library().tell_fortran();
}

STARLING_PAP_EXPORT void mpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* code) {
  below<void(MPI_Fint*, MPI_Fint*, MPI_Fint*)>("mpi_init_thread_")(required, provided, code);
  starling::pap::library().tell_fortran();
}

#endif
