// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/sentinels.hpp"

// As much as a compiler aligns a common block of the program, which takes the place of these.
#define STARLING_COMMON alignas(32) __attribute__((visibility("default")))

extern "C" {
STARLING_COMMON int mpi_fortran_bottom_ = 0;
STARLING_COMMON int mpi_fortran_in_place_ = 0;
STARLING_COMMON int mpi_fortran_buffer_automatic_ = 0;
STARLING_COMMON int mpi_fortran_unweighted_ = 0;
STARLING_COMMON int mpi_fortran_weights_empty_ = 0;
STARLING_COMMON int mpi_fortran_errcodes_ignore_ = 0;
STARLING_COMMON char mpi_fortran_argv_null_ = ' ';
STARLING_COMMON char mpi_fortran_argvs_null_ = ' ';
STARLING_COMMON MPI_Status mpi_fortran_status_ignore_ = {};
STARLING_COMMON MPI_Status mpi_fortran_statuses_ignore_ = {};
}
