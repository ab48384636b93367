// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Shadow: of the memory that the threads of a model share, who has touched each byte and when, so that two accesses
// that nothing orders are found (a data race); and what was there before, so that the next execution begins alike.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "weak_memory/explorer/view.hpp"

namespace starling::weak {

enum class Touch : std::uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite };

class Shadow {
 public:
  /// Memory to be watched. Ranges do not overlap.
  void watch(void* begin, std::size_t bytes);
  [[nodiscard]] bool watches(const void* begin) const noexcept { return find(begin) != nullptr; }

  /// An access of a thread that knows so much. False: another that conflicts with it was not ordered before it.
  bool touch(int thread, const Times& times, Touch touch, const void* begin, std::size_t bytes);
  /// Call before a write: keeps what is there.
  void keep(void* begin, std::size_t bytes);
  /// Everything as it was when it was first watched, and untouched.
  void restore();

 private:
  struct Byte {
    Times times[4] = {};  ///< of the last access of each thread, by Touch
    bool touched = false;
    bool kept = false;
    std::byte before{};
  };
  struct Range {
    std::byte* begin = nullptr;
    std::vector<Byte> bytes;
  };

  [[nodiscard]] const Range* find(const void* begin) const noexcept;
  Range* find(const void* begin) noexcept { return const_cast<Range*>(std::as_const(*this).find(begin)); }
  Byte& dirty(Range& range, std::size_t offset);

  struct Place {
    std::size_t range;
    std::size_t offset;
  };
  std::vector<Range> ranges_;
  std::vector<Place> dirty_;
};

}  // namespace starling::weak
