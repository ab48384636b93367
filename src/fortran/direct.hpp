// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// For entries of which little but the call is left where handles are predefined and buffers have no gaps, as in most
// messages. They count instructions: what is not the rule is a function of its own that is jumped to with the arguments
// as they came. Thread safety: no state.
#pragma once

#include <ISO_Fortran_binding.h>
#include <mpi.h>

#include "fortran/handles.hpp"

namespace starling::fortran {

/// Whether a handle is predefined. The barrier lets what follows read it again, which is cheaper than a register that
/// is kept for it.
inline bool predefined(const int* number) {
  if (static_cast<unsigned>(*number) >= kPredefined) [[unlikely]]
    return false;
  asm("" ::: "memory");
  return true;
}

/// A handle that is predefined.
template <typename Handle>
Handle known(const int* number) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(static_cast<unsigned>(*number)));
}

/// Whether a scalar or an array of one dimension has no gaps; for one of several dimensions false. The second look at
/// the rank is volatile so that the first needs no register.
inline bool is_plain(const CFI_cdesc_t* array) {
  if (array->rank == 0) [[likely]]
    return true;
  if (*static_cast<const volatile CFI_rank_t*>(&array->rank) != 1) return false;
  return array->dim[0].sm == static_cast<CFI_index_t>(array->elem_len) || array->dim[0].extent <= 1;
}

/// ierror is read from the stack after the call, where it came; no register is kept for it.
[[gnu::always_inline]] inline void give_late(int*& ierror, int code) {
  asm("" : "+m"(ierror));
  if (ierror != nullptr) *ierror = code;
}

}  // namespace starling::fortran
