// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the allgather algorithms share: where each rank's block lies in the receive buffer, and the own block's way
// there. Thread safety: none.
#pragma once

#include "collective/parts/buffers.hpp"

namespace starling::collective {

/// The blocks of the receive buffer of allgather or allgatherv.
inline Blocks gathered_blocks(const Arguments& a) noexcept {
  return a.operation == Operation::kAllgatherv ? Blocks(a.receive_counts, a.receive_displs) : Blocks(a.receive_count);
}

/// Puts this rank's block into its place unless it is there already.
inline void place_own_block(Call& call, const Arguments& a) {
  if (a.in_place) return;
  const Blocks blocks = gathered_blocks(a);
  call.copy(a.send_buffer, a.send_count, *a.send_type,
            element(a.receive_buffer, blocks.displacement(call.rank()), *a.receive_type), blocks.count(call.rank()),
            *a.receive_type);
}

/// Sends this rank's block from where the caller has it, so that it may be put into its place meanwhile.
inline Transfer send_own_block(Call& call, const Arguments& a, std::int32_t to) {
  if (!a.in_place) return call.send(a.send_buffer, a.send_count, *a.send_type, to);
  const Blocks blocks = gathered_blocks(a);
  return call.send(element(a.receive_buffer, blocks.displacement(call.rank()), *a.receive_type),
                   blocks.count(call.rank()), *a.receive_type, to);
}

}  // namespace starling::collective
