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

  [[nodiscard]] bool empty() const noexcept { return count == 0 || type->size() == 0; }
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

  // Messages, added to the batch. An empty block is no message: its sender and its receiver both know that it is empty.
  void send(Batch& batch, std::int32_t block, std::int32_t to) {
    const Piece piece = outgoing(block);
    if (!piece.empty()) batch.add(call_.send(piece.data, piece.count, *piece.type, to));
  }
  void receive(Batch& batch, std::int32_t block, std::int32_t from) {
    const Piece piece = incoming(block);
    if (!piece.empty()) batch.add(call_.receive(piece.data, piece.count, *piece.type, from));
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
