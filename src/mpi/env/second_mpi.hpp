// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A process that has loaded a second MPI: its C and Fortran parts were compiled for two, or the program and one of its
// libraries. Thread safety: none needed; it reads what the loader knows.
#pragma once

#include <string>

namespace starling::mpi {

/// What the user should know of it; empty: this process has no other MPI.
[[nodiscard]] std::string second_mpi_note();

}  // namespace starling::mpi
