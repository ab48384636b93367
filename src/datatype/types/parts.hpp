// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The one reading of a derived type's constructor arguments: its parts, in typemap order. Bounds, pack plans and
// element counts are all computed from this.
// Thread safety: reads immutable data.
#pragma once

#include <cstdint>

#include "datatype/types/contents.hpp"

namespace starling::datatype {

/// count blocks, stride bytes apart, of block_length elements of type, the first at displacement (bytes).
struct TypePart {
  std::int64_t displacement;
  std::int64_t count;
  std::int64_t stride;
  std::int64_t block_length;
  const Datatype* type;
};

/// The constructor arguments by meaning, whichever arrays hold them.
class Arguments {
 public:
  explicit Arguments(const Contents& contents) noexcept;

  [[nodiscard]] std::int64_t part_count() const noexcept { return part_count_; }
  [[nodiscard]] TypePart part(std::int64_t index) const noexcept;

 private:
  [[nodiscard]] std::int64_t number(std::int64_t index) const noexcept {
    return numbers_[static_cast<std::size_t>(index)];
  }

  const Contents& contents_;
  const std::vector<std::int64_t>& numbers_;        // counts and block lengths
  const std::vector<std::int64_t>& displacements_;  // strides and displacements of the byte-based constructors
  std::int64_t first_displacement_ = 0;             // where in displacements_ they begin
  std::int64_t part_count_ = 1;
};

}  // namespace starling::datatype
