// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The status card: one small record of each rank in shared memory. It says in which call the rank is, since when it
// waits, and for which message.
//
// Thread safety: written by the owning rank only (its last writer wins under MPI_THREAD_MULTIPLE), read by anyone with
// relaxed loads; a reader may see fields of two successive calls and must treat a card as a hint.
// Layout: plain 64-byte record, the same in every process of a job.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/id.hpp"

namespace starling::observe {

struct alignas(64) StatusCard {
  std::atomic<std::uint32_t> call{0};  ///< index of the MPI function in the generated table, 0 = outside MPI
  // What is awaited holds while since_ns is not 0.
  std::atomic<std::int32_t> peer{-1};        ///< a PeerId: in the own job the world rank; -1 = none or any
  std::atomic<std::int32_t> tag{-1};         ///< negative = none or any
  std::atomic<std::uint32_t> context_id{0};  ///< of the message
  std::atomic<std::int64_t> since_ns{0};     ///< now_ns() when the wait had become long, 0 = not waiting
  std::atomic<std::uint64_t> heartbeat{0};   ///< grows with every wait that polls
  std::atomic<std::uint64_t> calls{0};       ///< MPI calls made so far
};
static_assert(sizeof(StatusCard) == 64);

/// A message that a wait waits for.
struct Awaited {
  PeerId peer;  ///< none: any
  std::int32_t tag = -1;
  std::uint32_t context_id = kNoContext;

  static constexpr std::uint32_t kNoContext = ~std::uint32_t{0};
};

}  // namespace starling::observe
