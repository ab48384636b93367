// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Lanes: what alltoall, alltoallv, alltoallw and the neighbourhood collectives send to and receive from each rank or
// neighbour, in one form.
// Thread safety: none; belongs to one coroutine.
#pragma once

#include <vector>

#include "collective/parts/buffers.hpp"

namespace starling::collective {

/// A piece of typed data.
struct Piece {
  std::byte* data;
  std::int64_t count;
  const datatype::Datatype* type;
};

class Lanes {
 public:
  /// In place, what is to be sent is copied out of the receive buffer first.
  Lanes(Call& call, const Arguments& a);

  /// The block for a rank, or for the neighbour with this place in the list.
  [[nodiscard]] Piece outgoing(std::int32_t block) const noexcept;
  [[nodiscard]] Piece incoming(std::int32_t block) const noexcept;
  /// False: memory was short.
  [[nodiscard]] explicit operator bool() const noexcept { return !a_.in_place || copy_.data() != nullptr; }

  [[nodiscard]] Transfer send(std::int32_t to) { return send(to, to); }
  [[nodiscard]] Transfer receive(std::int32_t from) { return receive(from, from); }
  [[nodiscard]] Transfer send(std::int32_t block, std::int32_t to) {
    const Piece piece = outgoing(block);
    return call_.send(piece.data, piece.count, *piece.type, to);
  }
  [[nodiscard]] Transfer receive(std::int32_t block, std::int32_t from) {
    const Piece piece = incoming(block);
    return call_.receive(piece.data, piece.count, *piece.type, from);
  }
  /// Moves the piece that this rank has for itself.
  void keep_own();

 private:
  Call& call_;
  const Arguments& a_;
  PooledMemory copy_;
  std::vector<std::int64_t> starts_;  ///< of the copied pieces
};

}  // namespace starling::collective
