// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Texts into the buffers of a caller.
// Thread safety: no state.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace starling::mpi {

/// Copies at most room - 1 characters and a zero; *length is what was copied. Returns MPI_SUCCESS.
inline int copy_text(std::string_view text, char* out, int room, int* length) {
  const std::size_t copied = std::min(text.size(), static_cast<std::size_t>(room) - 1);
  std::memcpy(out, text.data(), copied);
  out[copied] = '\0';
  *length = static_cast<int>(copied);
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
