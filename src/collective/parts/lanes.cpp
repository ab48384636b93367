// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/lanes.hpp"

namespace starling::collective {
namespace {

std::byte* at(const void* buffer, std::int64_t bytes) {
  return static_cast<std::byte*>(const_cast<void*>(buffer)) + bytes;
}

/// Whether every rank gets the same block.
bool same_for_all(Operation operation) noexcept {
  switch (operation) {
    case Operation::kAllgather:
    case Operation::kAllgatherv:
    case Operation::kNeighborAllgather:
    case Operation::kNeighborAllgatherv: return true;
    default: return false;
  }
}

}  // namespace

Lanes::Lanes(Call& call, const Arguments& a) : call_(call), a_(a) {
  if (!a.in_place) return;
  starts_.push_back(0);
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    const Piece piece = incoming(rank);
    starts_.push_back(starts_.back() + piece.count * piece.type->size());
  }
  copy_ = PooledMemory(call, starts_.back());
  if (!copy_.data()) return;
  for (std::int32_t rank = 0; rank < call.size(); ++rank) {
    const Piece from = incoming(rank);
    const Piece to = outgoing(rank);
    call.copy(from.data, from.count, *from.type, to.data, to.count, *to.type);
  }
}

Piece Lanes::outgoing(std::int32_t block) const noexcept {
  if (a_.in_place) {
    const auto index = static_cast<std::size_t>(block);
    return {copy_.data() + starts_[index], starts_[index + 1] - starts_[index], &byte_type()};
  }
  if (a_.send_types) return {at(a_.send_buffer, a_.send_displs[block]), a_.send_counts[block], a_.send_types[block]};
  const std::int64_t extent = a_.send_type->extent();
  if (a_.send_counts.given()) {
    return {at(a_.send_buffer, a_.send_displs[block] * extent), a_.send_counts[block], a_.send_type};
  }
  return {at(a_.send_buffer, same_for_all(a_.operation) ? 0 : block * a_.send_count * extent), a_.send_count,
          a_.send_type};
}

Piece Lanes::incoming(std::int32_t block) const noexcept {
  if (a_.receive_types) {
    return {at(a_.receive_buffer, a_.receive_displs[block]), a_.receive_counts[block], a_.receive_types[block]};
  }
  const std::int64_t extent = a_.receive_type->extent();
  if (a_.receive_counts.given()) {
    return {at(a_.receive_buffer, a_.receive_displs[block] * extent), a_.receive_counts[block], a_.receive_type};
  }
  return {at(a_.receive_buffer, block * a_.receive_count * extent), a_.receive_count, a_.receive_type};
}

void Lanes::keep_own() {
  const Piece from = outgoing(call_.rank());
  const Piece to = incoming(call_.rank());
  call_.copy(from.data, from.count, *from.type, to.data, to.count, *to.type);
}

}  // namespace starling::collective
