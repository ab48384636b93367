// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TargetHandler: where other ranks ask a rank, by an active message, to read or write its private memory, because the
// kernel does not let them.
//
// One active message at a time: an origin takes the lock, lists the stretches of the rank's memory, adds the data of a
// write and says kAsked; the rank's wait loop or its agent thread claims the active message, moves the data and says
// kDone; the origin takes the data of a read and releases the lock. The serving thread knows addresses only, neither
// windows nor datatypes.
//
// When the origin dies with the lock the next origin takes it over: it withdraws an active message that is not claimed
// and waits for the end of one that is. When the handler's rank dies no origin waits for it any more.
//
// Layout: one handler for each rank on the node, in a block of its arena; each rank makes its own real and opens it.
// Thread safety: any thread of any process. The fields behind state belong to the holder of the lock, but between
// kAsked and kDone to the thread that has claimed the active message; asker is read after kDone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/job_segment.hpp"
#include "rma/shared/owned_lock.hpp"
#include "transport/remote_memory.hpp"

namespace starling::rma {

struct TargetHandler {
  static constexpr std::uint32_t kRuns = 1024;
  static constexpr std::uint64_t kDataBytes = std::uint64_t{64} * 1024;
  enum MessageState : std::uint32_t { kIdle, kAsked, kServing, kDone };
  enum class ActiveMessage : std::uint32_t { kGather, kScatter };

  OwnedLock lock;
  alignas(kCacheLine) std::atomic<std::uint32_t> state{kIdle};
  ActiveMessage message = ActiveMessage::kGather;
  std::atomic<std::int32_t> asker{0};  ///< local rank that is woken when the active message is done
  std::uint32_t run_count = 0;
  alignas(kCacheLine) std::atomic<std::uint32_t> agent_asleep{0};
  std::atomic<std::uint32_t> agent_wakes{0};  ///< the futex word; grows with every wake
  alignas(kCacheLine) transport::RemoteRun runs[kRuns] = {};
  std::byte data[kDataBytes];

  /// The owner's side, from any of its threads: claims and serves an active message if there is one.
  bool serve(const memory::JobSegment& segment) noexcept;
};
static_assert(sizeof(TargetHandler) == 3 * kCacheLine + 1024 * 16 + 64 * 1024);

}  // namespace starling::rma
