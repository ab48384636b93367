// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How functions of the tool interface give texts and other results that the caller may not want.
// Thread safety: no state. Source: MPI-5.0, chapter 15.3.3.
#pragma once

#include <string_view>

#include "mpi/boundary/text.hpp"

namespace starling::mpi {

/// Copies what fits into *length characters; *length becomes what the whole text needs, with its zero.
inline void give_text(std::string_view text, char* out, int* length) {
  if (length == nullptr) return;
  if (out != nullptr && *length > 0) {
    int copied = 0;
    copy_text(text, out, *length, &copied);
  }
  *length = static_cast<int>(text.size()) + 1;
}

/// Stores a result unless the caller passed a null pointer for it.
template <typename T, typename U>
void give(T* out, U value) {
  if (out != nullptr) *out = static_cast<T>(value);
}

/// MPI_SUCCESS, or the code that says why not.
[[nodiscard]] constexpr int unless(bool good, int refusal) noexcept { return good ? 0 : refusal; }

/// Whether index counts one of `size` things from 0.
[[nodiscard]] inline bool is_index(int index, std::size_t size) noexcept {
  return index >= 0 && static_cast<std::size_t>(index) < size;
}

}  // namespace starling::mpi
