// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Counts: a read-only view of an array of counts or displacements, whichever width the caller has.
//
// MPI_Alltoallv takes `const int*`, MPI_Alltoallv_c takes `const MPI_Count*`; an algorithm is written once and sees one
// view. The view owns nothing: the array must outlive the operation, which the standard asks of the user anyway.
// Thread safety: a value type, no shared state.
// Invariants: at most one of the two pointers is set; a view with neither is "not given" (an ignored argument).
#pragma once

#include <cstdint>

namespace starling {

class Counts {
 public:
  Counts() noexcept = default;
  Counts(const int* narrow) noexcept : narrow_(narrow) {}     // NOLINT(google-explicit-constructor)
  Counts(const std::int64_t* wide) noexcept : wide_(wide) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool given() const noexcept { return narrow_ != nullptr || wide_ != nullptr; }
  [[nodiscard]] std::int64_t operator[](std::int64_t index) const noexcept {
    return narrow_ != nullptr ? narrow_[index] : wide_[index];
  }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

}  // namespace starling
