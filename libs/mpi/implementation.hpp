// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which implementation of MPI a library is built for, which one it runs on, and what it may expect of it.
//
// **Thread safety**: any thread, before MPI_Init too. **Source**: MPI-5.0, 9.1.1 and 11.2.
#pragma once

#include <mpi.h>

#include <cstdlib>
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
/// otherwise.
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

/// Whether a blocking call gives its core away until it can go on. Elsewhere it spins.
inline bool blocking_calls_sleep() { return running_on() == "Starling"; }

/// Whether this is the process of rank 0, before MPI has started too: then the launcher's variables tell, and a process
/// without them is alone.
inline bool is_first_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "STARLING_JOB_RANK"}) {
    const char* const rank = std::getenv(name);
    if (rank != nullptr && std::string_view(rank) != "0") return false;
  }
  return true;
}

/// Whether somebody has started MPI already.
inline bool is_initialized() {
  int initialized = 0;
  PMPI_Initialized(&initialized);
  return initialized != 0;
}

}  // namespace starling::any_mpi
