// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The status card: one small record of each rank in shared memory that says in which call the rank is, since when, and
// on whom it waits. One mechanism serves the live view, the hang report, the failure detector and the late-rank table.
//
// Thread safety: written by the owning rank only (its last writer wins under MPI_THREAD_MULTIPLE), read by anyone with
// relaxed loads; a reader may see fields of two successive calls and must treat a card as a hint.
// Layout: plain 64-byte record, the same in every process of a job.
#pragma once

#include <atomic>
#include <cstdint>

namespace starling::observe {

struct alignas(64) StatusCard {
  std::atomic<std::uint32_t> call{0};  ///< index of the MPI function in the generated table, 0 = outside MPI
  std::atomic<std::int32_t> peer{-1};  ///< world rank waited on, -1 = none or any
  std::atomic<std::int32_t> tag{-1};
  std::atomic<std::uint32_t> context_id{0};  ///< communicator of the call
  std::atomic<std::int64_t> since_ns{0};     ///< now_ns() when the rank began to wait, 0 = not waiting
  std::atomic<std::uint64_t> heartbeat{0};   ///< grows with every wait that polls
  std::atomic<std::uint64_t> calls{0};       ///< MPI calls made so far
};
static_assert(sizeof(StatusCard) == 64);

}  // namespace starling::observe
