// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The attribute functions that the standard defines, as Fortran procedures. Source: MPI-5.0, 7.7.
#include "fortran/entry.hpp"

extern "C" {

#define STARLING_ATTRIBUTE_FUNCTIONS(name, Value)                                                                     \
  STARLING_PUBLIC void name##null_copy_fn_(const int*, const int*, Value*, Value*, Value*, int* flag, int* ierror) {  \
    *flag = 0;                                                                                                        \
    *ierror = MPI_SUCCESS;                                                                                            \
  }                                                                                                                   \
  STARLING_PUBLIC void name##dup_fn_(const int*, const int*, Value*, Value* in, Value* out, int* flag, int* ierror) { \
    *out = *in;                                                                                                       \
    *flag = 1;                                                                                                        \
    *ierror = MPI_SUCCESS;                                                                                            \
  }                                                                                                                   \
  STARLING_PUBLIC void name##null_delete_fn_(const int*, const int*, Value*, Value*, int* ierror) {                   \
    *ierror = MPI_SUCCESS;                                                                                            \
  }
STARLING_ATTRIBUTE_FUNCTIONS(mpi_comm_, MPI_Aint)
STARLING_ATTRIBUTE_FUNCTIONS(mpi_type_, MPI_Aint)
STARLING_ATTRIBUTE_FUNCTIONS(mpi_win_, MPI_Aint)
STARLING_ATTRIBUTE_FUNCTIONS(mpi_, int)

}  // extern "C"
