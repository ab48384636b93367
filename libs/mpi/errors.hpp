// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What an error of MPI says, whether it tells of a death, and whether errors and deaths end the job.
//
// **Thread safety**: as the MPI calls inside. **Source**: MPI-5.0, 9.3 to 9.5; deaths: the ULFM proposal (MPIX_FT and
// MPIX_ERR_PROC_FAILED of mpi-ext.h).
#pragma once

#include <mpi.h>
// Open MPI and MPICH may have a header of this name without deaths in it; what is used is asked for one by one.
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <string>

namespace starling::any_mpi {

/// What MPI says of an error code.
inline std::string error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

/// Errors of calls on this communicator are returned from now on, and do not end the job.
inline int return_errors(MPI_Comm comm) { return PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); }

/// Whether a call failed because a process has died.
inline bool is_process_failure([[maybe_unused]] int code) {
#ifdef MPIX_ERR_PROC_FAILED
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class == MPIX_ERR_PROC_FAILED;
#else
  return false;
#endif
}

/// Whether the processes of the communicator go on after one of them has died.
inline bool survives_failures([[maybe_unused]] MPI_Comm comm) {
#ifdef MPIX_FT
  int* flag = nullptr;
  int is_set = 0;
  PMPI_Comm_get_attr(comm, MPIX_FT, &flag, &is_set);
  return is_set != 0 && *flag != 0;
#else
  return false;
#endif
}

}  // namespace starling::any_mpi
