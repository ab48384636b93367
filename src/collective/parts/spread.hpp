// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Spread: a vector that is divided into a part for each rank, and the phases that move the parts: out of one rank to
// all (scatter), from all to all (gather everywhere), from all to one (collect). Algorithms that are compositions of
// operations are made of them. Every rank has memory for the whole vector, and parts stay where they lie in it.
// Source: van de Geijn, Barnett et al., "Interprocessor Collective Communication Library", 1994.
// Thread safety: the holder of the world's lock. Invariants: `data` outlives the phase.
#pragma once

#include <cstdint>

#include "collective/choose/algorithm.hpp"
#include "collective/coroutine/call.hpp"
#include "collective/node/contributions.hpp"
#include "collective/node/shared_buffer.hpp"
#include "collective/parts/buffers.hpp"
#include "collective/parts/node_cost.hpp"

namespace starling::collective {

struct Spread {
  std::byte* data;
  EqualParts parts;    ///< in units
  std::int64_t unit;   ///< bytes that are never divided
  std::int32_t first;  ///< the rank of part 0; the others follow

  [[nodiscard]] std::int32_t place(const Call& call) const noexcept {
    return (call.rank() - first + call.size()) % call.size();
  }
  [[nodiscard]] std::int32_t rank(const Call& call, std::int32_t place) const noexcept {
    return (place + first) % call.size();
  }
  [[nodiscard]] std::byte* at(std::int64_t part) const noexcept { return data + parts.begin(part) * unit; }
  /// Of the parts from `begin` to before `end`.
  [[nodiscard]] std::int64_t bytes(std::int64_t begin, std::int64_t end) const noexcept {
    return (parts.begin(end) - parts.begin(begin)) * unit;
  }
  [[nodiscard]] Transfer send(Call& call, std::int32_t begin, std::int32_t end, std::int32_t to) const {
    return call.send_bytes(at(begin), bytes(begin, end), to);
  }
  [[nodiscard]] Transfer receive(Call& call, std::int32_t begin, std::int32_t end, std::int32_t from) const {
    return call.receive_bytes(at(begin), bytes(begin, end), from);
  }
};

using Phase = Task (*)(Call&, Spread);

// From the rank of part 0.
Task scatter_down_tree(Call& call, Spread spread);
Task scatter_straight(Call& call, Spread spread);

// To everybody. By doubling: a power of two of ranks. In a shared buffer: in the caller's turn.
Task gather_around_ring(Call& call, Spread spread);
Task gather_by_doubling(Call& call, Spread spread);
Task gather_in_buffer(Call& call, Spread spread, SharedBuffer& shared);

// To the root. Part 0 belongs to rank 0.
Task collect_straight(Call& call, Spread spread, std::int32_t root);
Task collect_up_tree(Call& call, Spread spread, std::int32_t root);
Task collect_in_buffer(Call& call, Spread spread, SharedBuffer& shared, std::int32_t root);

/// The shape of a part of a composition that moves a block for each rank of what the whole moves.
[[nodiscard]] inline Shape blocks_of(const Shape& whole, Operation operation) noexcept {
  Shape part = whole;
  part.operation = operation;
  part.in_place = true;
  part.bytes = (whole.bytes + whole.ranks - 1) / whole.ranks;
  return part;
}

/// The cost of a composition: of a phase that combines the whole vector, or moves a block for each rank, and another.
template <auto& kFirst, auto& kSecond>
double composed_cost(const Shape& whole, const Machine& machine) {
  const auto cost = [&](const Algorithm& phase) {
    const bool combines = phase.operation == Operation::kReduceScatter;
    return phase.cost(combines ? whole : blocks_of(whole, phase.operation), machine);
  };
  return cost(kFirst) + cost(kSecond);
}

/// Where the first phase fits, a composition whose other phase fits everywhere does.
template <auto& kFirst>
bool composed_fits(const Shape& whole) {
  return kFirst.fits(whole);
}
/// The same where the phases share a turn in a shared buffer, whose segments then hold a block each.
template <auto& kFirst>
bool composed_fits_in_buffer(const Shape& whole) {
  return whole.has_segments && kFirst.fits(whole) && has_room(whole, whole.bytes / whole.ranks);
}

}  // namespace starling::collective
