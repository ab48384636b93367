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

/// A status is 8 integers in both languages.
STARLING_PUBLIC int MPI_Status_c2f(const MPI_Status* from_status, MPI_Status* to_status) {
  *to_status = *from_status;
  return MPI_SUCCESS;
}
STARLING_PUBLIC int MPI_Status_f2c(const MPI_Status* from_status, MPI_Status* to_status) {
  *to_status = *from_status;
  return MPI_SUCCESS;
}

}  // extern "C"
