// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/view/piece_stream.hpp"

#include <algorithm>

namespace starling::io {

bool PieceStream::Side::ready() noexcept {
  if (at < count) return true;
  if (left == 0) return false;
  const std::int64_t before = cursor.position();
  count = cursor.next_runs(runs, left);
  left -= cursor.position() - before;
  at = 0;
  return count > 0;
}

void PieceStream::Side::take(std::size_t bytes) noexcept {
  datatype::MemoryRun& run = runs[at];
  // The address of a file's run is an offset, so it is counted on as a number.
  run.data =
      reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(run.data) + static_cast<std::intptr_t>(bytes));
  run.bytes -= bytes;
  if (run.bytes == 0) ++at;
}

std::size_t PieceStream::next(std::span<FilePiece> pieces) noexcept {
  std::size_t filled = 0;
  while (filled < pieces.size() && file_.ready() && memory_.ready()) {
    const datatype::MemoryRun& file = file_.runs[file_.at];
    const datatype::MemoryRun& memory = memory_.runs[memory_.at];
    const std::size_t bytes = std::min(file.bytes, memory.bytes);
    pieces[filled++] = {offset_in(file), memory.data, static_cast<std::int64_t>(bytes)};
    file_.take(bytes);
    memory_.take(bytes);
  }
  return filled;
}

}  // namespace starling::io
