// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The constants of Fortran that are addresses. A Fortran program has a variable for each, in a common block of this
// name; the linker makes the program's and the library's one, and the library knows the constant by its place. Thread
// safety: nothing is ever written. Source: MPI-5.0, 2.5.4 and 19.1.
#pragma once

#include <mpi.h>

extern "C" {
extern int mpi_fortran_bottom_;
extern int mpi_fortran_in_place_;
extern int mpi_fortran_buffer_automatic_;
extern int mpi_fortran_unweighted_;
extern int mpi_fortran_weights_empty_;
extern int mpi_fortran_errcodes_ignore_;
extern char mpi_fortran_argv_null_;
extern char mpi_fortran_argvs_null_;
extern MPI_Status mpi_fortran_status_ignore_;
extern MPI_Status mpi_fortran_statuses_ignore_;
}

namespace starling::fortran {

inline void* buffer(void* given) { return given == &mpi_fortran_bottom_ ? MPI_BOTTOM : given; }
inline void* buffer_or_in_place(void* given) { return given == &mpi_fortran_in_place_ ? MPI_IN_PLACE : buffer(given); }
inline void* buffer_or_automatic(void* given) {
  return given == &mpi_fortran_buffer_automatic_ ? MPI_BUFFER_AUTOMATIC : buffer(given);
}
inline MPI_Status* status_or_ignored(MPI_Status* given) {
  return given == &mpi_fortran_status_ignore_ ? MPI_STATUS_IGNORE : given;
}
inline MPI_Status* statuses_or_ignored(MPI_Status* given) {
  return given == &mpi_fortran_statuses_ignore_ ? MPI_STATUSES_IGNORE : given;
}
inline int* weights_or_constant(const int* given) {
  if (given == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  if (given == &mpi_fortran_weights_empty_) return MPI_WEIGHTS_EMPTY;
  return const_cast<int*>(given);
}

}  // namespace starling::fortran
