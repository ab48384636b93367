// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Marks: what a process knows of a collection of elements that cannot be reached (population/collector.hpp).
//
// **Thread safety**: none. **Invariants**: where no collection goes on, all elements here have `value` for their mark.
#pragma once

#include <cstdint>

namespace starling::array::detail {

struct Marks {
  enum class Phase : std::uint8_t {
    kNone,    // all elements count as marked
    kMarks,   // those that can be reached get their mark
    kSweeps,  // those that have none are deleted
    kSwept,   // all here are marked; one that comes without a mark is to be deleted
  };
  Phase phase = Phase::kNone;
  bool value = false;         // that an element's mark has; each collection takes the other
  std::uint64_t made = 0;     // marks that this process sent, in this collection
  std::uint64_t ended = 0;    // that came to an element here, or to none
  std::uint32_t waiting = 0;  // coroutines of elements here

  /// Of an element that came from another process.
  bool of_arrival(bool was_marked) const { return was_marked || phase == Phase::kNone ? value : !value; }
  /// Elements here without a mark are to be deleted.
  bool are_complete() const { return phase == Phase::kSweeps || phase == Phase::kSwept; }
};

}  // namespace starling::array::detail
