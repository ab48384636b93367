// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of a point-to-point call to the engine's terms.
// Thread safety: the holder of the world's lock. Invariants: the boundary has checked every argument.
#pragma once

#include <mpi.h>

#include "mpi/boundary/context.hpp"

namespace starling::mpi {

[[nodiscard]] inline p2p::Message make_message(Context& context, const void* buffer, MPI_Count count,
                                               MPI_Datatype datatype, int rank, int tag, MPI_Comm comm) noexcept {
  return {const_cast<void*>(buffer), count, context.datatype(datatype), rank, tag, context.comm(comm)->comm.get()};
}

/// For calls that need not wait, such as eager sends and locks that nobody else wants: one round of progress in many
/// calls, because a program may make them again and again until it hears of a revocation.
inline void handle_events_at_times(Context& context) {
  constexpr std::uint32_t kCallsPerRound = 64;
  if (++context.calls_without_round % kCallsPerRound == 0) [[unlikely]]
    context.progress->poll();
}

/// A message without data: what a probe looks for.
[[nodiscard]] inline p2p::Message make_pattern(Context& context, int source, int tag, MPI_Comm comm) noexcept {
  return {nullptr, 0, &datatype::byte_type(), source, tag, context.comm(comm)->comm.get()};
}

}  // namespace starling::mpi
