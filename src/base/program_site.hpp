// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Where the program goes on after an MPI call: past Fortran's library, which stands between a Fortran program and MPI.
// That library says where its code lies (src/fortran/code.cpp), and its functions have frame pointers, as all of ours
// have. Thread safety: no state. Invariants: a function hands over its own frame, __builtin_frame_address(0).
#pragma once

extern "C" {
struct StarlingFortranCode {
  const void* begin;
  const void* end;
};
/// Absent where no Fortran library was loaded with the program.
extern const StarlingFortranCode starling_fortran_code __attribute__((weak));
}

namespace starling {

/// A frame is the caller's frame and the address to go on at.
inline const void* site_past_fortran(const void* frame) noexcept {
  const void* const* at = static_cast<const void* const*>(frame);
  while (at[1] >= starling_fortran_code.begin && at[1] < starling_fortran_code.end) {
    at = static_cast<const void* const*>(at[0]);
  }
  return at[1];
}

[[gnu::always_inline]] inline const void* program_site(const void* frame) noexcept {
  if (&starling_fortran_code != nullptr) [[unlikely]]
    return site_past_fortran(frame);
  return static_cast<const void* const*>(frame)[1];
}

}  // namespace starling
