// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// A relay: one vector goes through the shared buffer from writer to writer, each of which adds its own in place, piece
// by piece, and what the last has added all read. A step of it takes the segments of all ranks, so the first writers
// may run two steps ahead of a late one, and behind that one nobody waits for more than a piece.
//
// Limits: one node, elements without gaps, more bytes than fit beside a flag, an operator that commutes where there are
// several writers. Cost behind the last writer: m * (gamma + copy of all ranks, over the cores), pipelined.
// Thread safety: the holder of the world's lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "collective/coroutine/call.hpp"
#include "collective/coroutine/task.hpp"
#include "collective/node/shared_buffer.hpp"

namespace starling::collective {

/// What a writer says in its flag of a step.
struct RelayProgress {
  std::uint64_t steps = 0;  ///< of the relay
  std::int64_t piece_bytes = 0;
  std::uint32_t pieces = 0;               ///< of this step
  std::atomic<std::uint32_t> written{0};  ///< so many of them
};
static_assert(sizeof(RelayProgress) == 24 && sizeof(RelayProgress) <= Flag::kInline);

/// A rank's part in a relay. `writers` and the size are the same on all ranks.
struct RelayPart {
  std::span<const std::int32_t> writers;  ///< in the order in which they add
  const void* from;                       ///< what this rank adds, if it is a writer; may be `to`
  void* to;                               ///< null: this rank does not want it
  std::int64_t count;
  const datatype::Datatype& type;
};

/// In the turn of the caller. Ranks whose sizes differ from the first writer's get an error, as long as all come here
/// (ArrivalTracker has those that disagree go another way, so that the others wait for them).
Task relay(Call& call, SharedBuffer& shared, const RelayPart& part);

/// What it costs when all but the last writer have come.
double relay_cost(const Shape& shape, const Machine& machine) noexcept;

}  // namespace starling::collective
