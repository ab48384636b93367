// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// DataSieve: reads pieces that stand close together in a file by one large read of everything between them.
//
// Only reads are sieved. A sieved write would put back old bytes between its pieces, and with them undo what others
// write there meanwhile; our writes touch the bytes of their pieces and no other, so they need no locks.
// Source: Thakur, Gropp, Lusk, "Data Sieving and Collective I/O in ROMIO", Frontiers 1999.
// Thread safety: an object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/disk/posix_file.hpp"

namespace starling::io {

class DataSieve {
 public:
  /// No read is longer than this.
  static constexpr std::int64_t kWindowBytes = 1 << 20;

  /// Reads the pieces, given in data order; returns the bytes that lie before the end of the file.
  Result<std::int64_t> read(const PosixFile& file, std::span<const FilePiece> pieces);

 private:
  Result<std::int64_t> read_window(const PosixFile& file, std::span<const FilePiece> pieces);

  std::vector<std::byte> window_;
};

}  // namespace starling::io
