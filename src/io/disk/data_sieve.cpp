// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/disk/data_sieve.hpp"

#include <algorithm>
#include <cstring>

namespace starling::io {
namespace {

/// Copying this many bytes too many costs about as much as one more system call.
constexpr std::int64_t kCheapGap = 2048;

/// How many of the first pieces belong into one window.
std::size_t in_one_window(std::span<const FilePiece> pieces) {
  const std::int64_t first = pieces.front().offset;
  std::size_t count = 1;
  while (count < pieces.size()) {
    const std::int64_t gap = pieces[count].offset - pieces[count - 1].end();
    if (gap < 0 || gap > kCheapGap || pieces[count].end() - first > DataSieve::kWindowBytes) break;
    ++count;
  }
  return count;
}

bool side_by_side(std::span<const FilePiece> pieces) {
  return std::adjacent_find(pieces.begin(), pieces.end(),
                            [](const FilePiece& a, const FilePiece& b) { return a.end() != b.offset; }) == pieces.end();
}

}  // namespace

Result<std::int64_t> DataSieve::read_window(const PosixFile& file, std::span<const FilePiece> pieces) {
  const std::int64_t first = pieces.front().offset;
  const std::int64_t span = pieces.back().end() - first;
  if (window_.size() < static_cast<std::size_t>(span)) window_.resize(static_cast<std::size_t>(span));
  const FilePiece all{first, window_.data(), span};
  Result<std::int64_t> got = file.move(Direction::kRead, {&all, 1});
  if (!got.ok()) return got;
  std::int64_t moved = 0;
  for (const FilePiece& piece : pieces) {
    const std::int64_t bytes = std::clamp<std::int64_t>(first + got.value() - piece.offset, 0, piece.bytes);
    if (bytes == 0) break;
    std::memcpy(piece.memory, window_.data() + (piece.offset - first), static_cast<std::size_t>(bytes));
    moved += bytes;
  }
  return moved;
}

Result<std::int64_t> DataSieve::read(const PosixFile& file, std::span<const FilePiece> pieces) {
  if (side_by_side(pieces)) return file.move(Direction::kRead, pieces);
  std::int64_t moved = 0;
  while (!pieces.empty()) {
    const std::span<const FilePiece> now = pieces.first(in_one_window(pieces));
    Result<std::int64_t> some = side_by_side(now) ? file.move(Direction::kRead, now) : read_window(file, now);
    if (!some.ok()) return some;
    moved += some.value();
    if (some.value() < total_bytes(now)) break;
    pieces = pieces.subspan(now.size());
  }
  return moved;
}

}  // namespace starling::io
