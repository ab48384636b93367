// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What libraries above MPI ask of whichever MPI they are built for: the text of an error, whether a code tells of a
// death, whether the job goes on after one, which library it is.
//
// Header only, because each library is compiled against every MPI that is here; include it in the files that call MPI.
//
// **Thread safety**: as the MPI calls inside. **Source**: MPI-5.0, 9.1.1, 9.4 and 9.5; deaths: the ULFM proposal
// (MPIX_FT and MPIX_ERR_PROC_FAILED of mpi-ext.h).
#pragma once

#include <mpi.h>
// Open MPI and MPICH may have a header of this name without deaths in it; what is used is asked for one by one.
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <string>
#include <string_view>

namespace starling::any_mpi {

/// The MPI that this file is compiled for.
#if defined(OPEN_MPI)
inline constexpr std::string_view kBuiltFor = "Open MPI";
#elif defined(MPICH)
inline constexpr std::string_view kBuiltFor = "MPICH";
#else
inline constexpr std::string_view kBuiltFor = "Starling";
#endif

/// The name of the MPI that the process runs on: "Starling", "Open MPI" or "MPICH"; empty where it calls itself
/// otherwise. Before MPI_Init too.
inline std::string_view running_on() {
  char version[8192 + 1] = "";  // as long as any of them makes it
  int length = 0;
  if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS) return {};
  const std::string_view text(version);
  for (const std::string_view name : {"Open MPI", "MPICH", "Starling"}) {
    if (text.find(name) != std::string_view::npos) return name;
  }
  return {};
}

/// What MPI says of an error code.
inline std::string error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

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
