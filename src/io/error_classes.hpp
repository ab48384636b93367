// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The error classes that only files have, at their ABI values, beside those of base/status.hpp.
// Thread safety: constants. Source: MPI-5.0, chapters 14.8 and 20.2.
#pragma once

#include "base/status.hpp"

namespace starling::io::error {

inline constexpr auto kAccess = static_cast<ErrorClass>(20);
inline constexpr auto kAmode = static_cast<ErrorClass>(21);
inline constexpr auto kBadFile = static_cast<ErrorClass>(23);
inline constexpr auto kConversion = static_cast<ErrorClass>(25);
inline constexpr auto kDupDatarep = static_cast<ErrorClass>(27);
inline constexpr auto kFileExists = static_cast<ErrorClass>(28);
inline constexpr auto kFileInUse = static_cast<ErrorClass>(29);
inline constexpr auto kIo = static_cast<ErrorClass>(35);
inline constexpr auto kNotSame = static_cast<ErrorClass>(40);
inline constexpr auto kNoSpace = static_cast<ErrorClass>(41);
inline constexpr auto kQuota = static_cast<ErrorClass>(44);
inline constexpr auto kReadOnly = static_cast<ErrorClass>(45);
inline constexpr auto kUnsupportedDatarep = static_cast<ErrorClass>(54);

}  // namespace starling::io::error
