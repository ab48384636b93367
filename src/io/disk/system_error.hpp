// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a failed system call on a file means in MPI's terms.
// Thread safety: pure functions. Source: MPI-5.0, chapter 14.8 (I/O error classes).
#pragma once

#include <string>

#include "base/status.hpp"

namespace starling::io {

[[nodiscard]] ErrorClass class_of_errno(int error_number) noexcept;

/// what: what was tried, as in "the file \"a.dat\" cannot be opened". The system's words and an advice follow.
[[nodiscard]] Status system_error(int error_number, std::string what);

}  // namespace starling::io
