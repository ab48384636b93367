// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether a program runs on another MPI's library. Started by our launcher, each of its ranks is then rank 0
// of 1, because that library does not know us. Thread safety: reads files. Source: the System V ABI, chapter 5 (dynamic
// section).
#pragma once

#include <sys/types.h>

#include <string>

namespace starling::launch {

/// The MPI library that an executable asks its loader for ("libmpi.so.40"); empty: none but ours, or not to be seen.
[[nodiscard]] std::string foreign_mpi_needed_by(const std::string& program);

/// The same of a running process, which may have loaded it later, as an interpreter does.
[[nodiscard]] std::string foreign_mpi_loaded_by(pid_t process);

}  // namespace starling::launch
