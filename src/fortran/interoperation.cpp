// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The conversions of MPI-4.1 that the ABI has no more, for C objects which only declare them; mpi_compat.h has them
// inline. Source: MPI-4.1, 19.3.4 and 19.3.5.
#include "fortran/entry.hpp"

extern "C" {

#define STARLING_CONVERSIONS(type, prefix)                                                        \
  STARLING_PUBLIC type prefix##_f2c(int handle) { return starling::fortran::from<type>(handle); } \
  STARLING_PUBLIC int prefix##_c2f(type handle) { return starling::fortran::to(handle); }
STARLING_CONVERSIONS(MPI_Comm, MPI_Comm)
STARLING_CONVERSIONS(MPI_Datatype, MPI_Type)
STARLING_CONVERSIONS(MPI_Errhandler, MPI_Errhandler)
STARLING_CONVERSIONS(MPI_File, MPI_File)
STARLING_CONVERSIONS(MPI_Group, MPI_Group)
STARLING_CONVERSIONS(MPI_Info, MPI_Info)
STARLING_CONVERSIONS(MPI_Message, MPI_Message)
STARLING_CONVERSIONS(MPI_Op, MPI_Op)
STARLING_CONVERSIONS(MPI_Request, MPI_Request)
STARLING_CONVERSIONS(MPI_Session, MPI_Session)
STARLING_CONVERSIONS(MPI_Win, MPI_Win)

/// A status is 8 integers in C, in mpi and in mpi_f08.
#define STARLING_SAME_STATUS(name)                                                   \
  STARLING_PUBLIC int MPI_Status_##name(const MPI_Status* given, MPI_Status* same) { \
    *same = *given;                                                                  \
    return MPI_SUCCESS;                                                              \
  }
STARLING_SAME_STATUS(c2f)
STARLING_SAME_STATUS(f2c)
STARLING_SAME_STATUS(c2f08)
STARLING_SAME_STATUS(f082c)
STARLING_SAME_STATUS(f2f08)
STARLING_SAME_STATUS(f082f)

/// Variables in MPI-4.1, whose addresses say that a status is not wanted.
STARLING_PUBLIC int* MPI_F_STATUS_IGNORE = reinterpret_cast<int*>(&mpi_fortran_status_ignore_);
STARLING_PUBLIC int* MPI_F_STATUSES_IGNORE = reinterpret_cast<int*>(&mpi_fortran_statuses_ignore_);
STARLING_PUBLIC MPI_Status* MPI_F08_STATUS_IGNORE = &mpi_fortran_status_ignore_;
STARLING_PUBLIC MPI_Status* MPI_F08_STATUSES_IGNORE = &mpi_fortran_statuses_ignore_;

}  // extern "C"
