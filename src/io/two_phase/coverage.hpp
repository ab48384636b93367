// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Coverage: which bytes of a window hold data, a bit for each. What no rank has written must not be written by the
// aggregator either: it may be another program's, or another call's.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <vector>

#include "io/disk/posix_file.hpp"
#include "io/two_phase/stripes.hpp"

namespace starling::io {

class Coverage {
 public:
  /// Forgets everything; the window has this many bytes.
  void reset(std::int64_t bytes);
  void add(std::int64_t first, std::int64_t bytes) noexcept;
  void add(const std::vector<Stripe>& stripes, std::int64_t base) noexcept;

  /// The covered stretches, in order, as pieces of a window whose first byte is that of `base` in the file.
  [[nodiscard]] std::vector<FilePiece> pieces(std::byte* window, std::int64_t base) const;

 private:
  /// The first position at or behind `from` whose bit is (not) set, or the end.
  [[nodiscard]] std::int64_t next(std::int64_t from, bool set) const noexcept;

  std::int64_t bytes_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace starling::io
