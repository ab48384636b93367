// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Text between C and Fortran, where it has a length instead of a null and ends in blanks. Thread safety: no state.
#pragma once

#include <ISO_Fortran_binding.h>

#include <cstddef>
#include <string>

namespace starling::fortran {

/// Without the blanks at its end.
std::string text(const char* given, std::size_t length);
inline std::string text(const CFI_cdesc_t* given) {
  return text(static_cast<const char*>(given->base_addr), given->elem_len);
}
/// Without those at its beginning either, as keys and values of info objects are read.
std::string trimmed_text(const char* given, std::size_t length);
/// Fills the program's variable: what does not fit is cut, the rest of it becomes blanks.
void give_text(const char* text, char* target, std::size_t length);

}  // namespace starling::fortran
