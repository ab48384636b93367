// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Counts: a read-only view of an array of counts or displacements, whichever width the caller has.
//
// MPI_Alltoallv takes `const int*`, MPI_Alltoallv_c takes `const MPI_Count*`; an algorithm is written once and sees one
// view. The view owns nothing: an operation that outlives the call that began it reads a copy, for the array is the
// caller's again as soon as the call has returned. Thread safety: a value type, no shared state.
// Invariants: at most one of the two pointers is set; a view with neither is "not given" (an ignored argument).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

  /// What the first `count` of them take. 0 where none are given.
  [[nodiscard]] std::size_t bytes(std::int32_t count) const noexcept {
    return static_cast<std::size_t>(count) * (narrow_ != nullptr ? sizeof(int) : wide_ != nullptr ? sizeof *wide_ : 0);
  }
  /// The view of a copy of them in this memory, which has room for bytes(count) and is aligned for the wide ones.
  [[nodiscard]] Counts copied_to(void* memory, std::int32_t count) const noexcept {
    if (!given()) return {};
    std::memcpy(memory, narrow_ != nullptr ? static_cast<const void*>(narrow_) : wide_, bytes(count));
    return narrow_ != nullptr ? Counts(static_cast<const int*>(memory))
                              : Counts(static_cast<const std::int64_t*>(memory));
  }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

}  // namespace starling
