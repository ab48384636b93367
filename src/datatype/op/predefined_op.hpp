// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The predefined reduction operators and the shape of their kernels.
// Thread safety: constants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starling::datatype {

enum class PredefinedOp : std::uint8_t {
  kSum,
  kMin,
  kMax,
  kProd,
  kBand,
  kBor,
  kBxor,
  kLand,
  kLor,
  kLxor,
  kMinloc,
  kMaxloc,
  kReplace,  // one-sided communication only
  kNoOp,     // one-sided communication only
  kNone,     // a user's operator
};
inline constexpr std::size_t kPredefinedOpCount = static_cast<std::size_t>(PredefinedOp::kNone);

/// Those that compute, and so have kernels.
inline constexpr std::size_t kKernelOpCount = static_cast<std::size_t>(PredefinedOp::kReplace);

/// "MPI_SUM" and so on; "user-defined" for kNone.
[[nodiscard]] const char* name(PredefinedOp op) noexcept;

/// inout[i] = in[i] OP inout[i] for count elements; any alignment, no overlap.
using Kernel = void (*)(const void* in, void* inout, std::int64_t count) noexcept;

}  // namespace starling::datatype
