// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether the name of a library is that of another MPI. Thread safety: a pure function.
#pragma once

#include <string_view>

namespace starling {

/// Of the name of its file, "libmpi.so.40". Ours have the names of the standard ABI, which is an MPI of its own only
/// where it is another's; then it is not to blame.
[[nodiscard]] inline bool is_foreign_mpi(std::string_view library) noexcept {
  return (library.starts_with("libmpi.so") || library.starts_with("libmpi_") || library.starts_with("libmpich") ||
          library.starts_with("libmpicxx") || library.starts_with("libmpifort")) &&
         !library.starts_with("libmpi_abi") && !library.starts_with("libmpifort_abi");
}

}  // namespace starling
