// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether a number is a live attribute key of a kind of object: the boundary's check for this chapter.
// Thread safety: the holder of the world's lock.
#pragma once

#include <mpi-ext.h>

#include "mpi/attribute/attributes.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/refusals.hpp"

namespace starling::mpi {

namespace internal {

/// Notes the failure and returns its code.
[[gnu::cold]] int refuse_keyval(int keyval, const char* name, KeyvalKind kind);

[[nodiscard]] inline bool is_predefined_keyval(int keyval, KeyvalKind kind) noexcept {
  if (kind == KeyvalKind::kWin) return keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL;
  return kind == KeyvalKind::kComm && keyval >= MPI_TAG_UB && keyval <= MPIX_FT;
}

}  // namespace internal

[[nodiscard]] inline int check_keyval(int keyval, const char* name, KeyvalKind kind) {
  const bool good = internal::is_predefined_keyval(keyval, kind) || current()->keyvals->find(keyval, kind) != nullptr;
  return good ? MPI_SUCCESS : internal::refuse_keyval(keyval, name, kind);
}

}  // namespace starling::mpi
