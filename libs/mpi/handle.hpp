// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The bits of a handle, for code that keeps it or compares it without knowing its type: handles are pointers in one MPI
// and integers in another.
//
// **Thread safety**: functions of their arguments.
#pragma once

#include <cstdint>
#include <cstring>

namespace starling::any_mpi {

template <class Handle>
std::uintptr_t bits_of(Handle handle) {
  std::uintptr_t bits = 0;
  static_assert(sizeof handle <= sizeof bits);
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

/// The handle that had these bits.
template <class Handle>
Handle handle_of(std::uintptr_t bits) {
  Handle handle;
  static_assert(sizeof handle <= sizeof bits);
  std::memcpy(&handle, &bits, sizeof handle);
  return handle;
}

}  // namespace starling::any_mpi
