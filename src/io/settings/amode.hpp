// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Access modes, at the values of the ABI. Thread safety: constants. Source: MPI-5.0, chapter 14.2.1.
#pragma once

#include "base/status.hpp"

namespace starling::io {

enum Amode : int {
  kAppend = 1,
  kCreate = 2,
  kDeleteOnClose = 4,
  kExclusive = 8,
  kReadOnly = 16,
  kReadWrite = 32,
  kSequential = 64,
  kUniqueOpen = 128,
  kWriteOnly = 256,
};

/// kAmode, with what is wrong, for a combination that the standard does not allow.
Status check_amode(int amode);

/// kReadOnly for a file that was opened for reading.
Status check_writable(int amode);

/// The flags of open(2). Creating is for the first rank only.
enum class Opener { kFirst, kOther };
[[nodiscard]] int open_flags(int amode, Opener opener) noexcept;

}  // namespace starling::io
