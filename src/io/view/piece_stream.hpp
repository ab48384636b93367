// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// PieceStream: pairs what a view shows with what lies in memory, piece by piece.
// Thread safety: an object belongs to one thread.
// Invariants: pieces come in data order and are as long as both sides allow; none is empty.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "io/disk/posix_file.hpp"
#include "io/view/view.hpp"

namespace starling::io {

class PieceStream {
 public:
  /// `bytes` bytes of data: from a position of the view, and from the memory cursor's position.
  PieceStream(const View& view, std::int64_t position, const datatype::PackCursor& memory, std::int64_t bytes)
      : file_{view.cursor(position), bytes}, memory_{memory, bytes} {}

  /// Fills the array with the next pieces; fewer than it holds only at the end.
  std::size_t next(std::span<FilePiece> pieces) noexcept;

 private:
  struct Side {
    datatype::PackCursor cursor;
    std::int64_t left;
    std::array<datatype::MemoryRun, 64> runs{};
    std::size_t at = 0;
    std::size_t count = 0;

    /// Whether there is a current run.
    bool ready() noexcept;
    void take(std::size_t bytes) noexcept;
  };

  Side file_;
  Side memory_;
};

}  // namespace starling::io
