// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Fortran programs on Open MPI: their calls go past preloaded libraries, which they are told once.
#include <mpi.h>

#if defined(OPEN_MPI)

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "call.hpp"
#include "mpi/implementation.hpp"
#include "observe/join.hpp"

namespace {

/// The function of that name that would have been called without this library.
template <typename Function>
Function* below(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void tell() {
  if (std::getenv(starling::observe::kJoinVariable) == nullptr || !starling::any_mpi::is_first_process()) return;
  std::fputs("see: this MPI's Fortran calls go past preloaded libraries, so nothing is seen of them\n", stderr);
}

}  // namespace

STARLING_SEE_EXPORT void mpi_init_(MPI_Fint* code) {
  below<void(MPI_Fint*)>("mpi_init_")(code);
  tell();
}

STARLING_SEE_EXPORT void mpi_init_thread_(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* code) {
  below<void(MPI_Fint*, MPI_Fint*, MPI_Fint*)>("mpi_init_thread_")(required, provided, code);
  tell();
}

#endif
