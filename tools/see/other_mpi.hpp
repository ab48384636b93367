// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Which MPI a launcher belongs to, and which of our libraries is to be preloaded below its programs.
// Thread safety: starts a process; for single-threaded processes.
#pragma once

#include <string>

#include "base/status.hpp"

namespace starling::see {

/// "openmpi" or "mpich": what the launcher says of itself. An error: it is none of them, or Starling's own.
[[nodiscard]] Result<std::string> mpi_of_launcher(const std::string& program);

/// The library for this MPI. An error: there is none.
[[nodiscard]] Result<std::string> library_for(const std::string& mpi);

}  // namespace starling::see
