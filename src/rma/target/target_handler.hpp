// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// TargetHandler: where other ranks ask a rank, by an active message, to access its private memory: because the kernel
// does not let them, or because a rank that waits in MPI does it sooner than a system call.
//
// One active message at a time: an origin takes the lock, lists the stretches of the rank's memory, adds the data of a
// write and says kAsked; the rank's wait loop or its agent thread claims the active message, carries it out and says
// kDone; the origin takes the data of a read and releases the lock. The serving thread knows addresses, predefined
// operators and predefined types, neither windows nor derived datatypes. Accumulates exclude each other by the window's
// lock, which the origin holds.
// Beside it lie the puts of one origin, of which many may be under way (put_stream.hpp).
//
// When the origin dies with the lock the next origin takes it over: it withdraws an active message that is not claimed
// and waits for the end of one that is. When the handler's rank dies no origin waits for it any more.
//
// Layout: one handler for each rank on the node, in a block of its arena; each rank makes its own real and opens it. An
// access of one stretch and few bytes travels in the line of the state alone.
// Thread safety: any thread of any process. The fields behind state belong to the holder of the lock, but between
// kAsked and kDone to the thread that has claimed the active message; asker is read after kDone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "datatype/op/predefined_op.hpp"
#include "datatype/types/basic.hpp"
#include "memory/job_segment.hpp"
#include "rma/shared/owned_lock.hpp"
#include "rma/target/put_stream.hpp"
#include "transport/remote_memory.hpp"

namespace starling::rma {

struct TargetHandler {
  static constexpr std::uint32_t kRuns = 1024;
  static constexpr std::uint64_t kDataBytes = std::uint64_t{64} * 1024;
  /// Of one kCombine: operands and old values share the room.
  static constexpr std::uint64_t kCombineBytes = kDataBytes / 2;
  enum MessageState : std::uint32_t { kIdle, kAsked, kServing, kDone };
  enum class ActiveMessage : std::uint8_t {
    kGather,   ///< the stretches go to moved()
    kScatter,  ///< moved() goes to the stretches
    kCombine,  ///< the first stretch becomes operand() OP itself; its old values go to old() where fetches is set
    kCompareAndSwap,  ///< operand() goes to the first stretch if that equals old(); what was there goes to old()
  };

  OwnedLock lock;
  alignas(kCacheLine) std::atomic<std::uint32_t> state{kIdle};
  std::atomic<std::int32_t> asker{0};  ///< local rank that is woken when the active message is done
  ActiveMessage message = ActiveMessage::kGather;
  datatype::PredefinedOp op = datatype::PredefinedOp::kNone;
  datatype::Basic type = datatype::Basic::kNone;  ///< of the elements of kCombine
  bool fetches = false;
  std::uint32_t run_count = 0;
  std::uint64_t first_address = 0;  ///< the first stretch
  std::uint32_t first_bytes = 0;
  std::uint32_t bytes = 0;  ///< of all stretches
  std::byte beside[32] = {};
  alignas(kCacheLine) std::atomic<std::uint32_t> agent_asleep{0};
  std::atomic<std::uint32_t> agent_wakes{0};                       ///< the futex word; grows with every wake
  alignas(kCacheLine) transport::RemoteRun more_runs[kRuns] = {};  ///< the second and what follows
  std::byte data[kDataBytes];
  PutStream puts;

  /// Where the data of this active message lie.
  [[nodiscard]] std::byte* moved() noexcept { return bytes <= sizeof beside ? beside : data; }
  [[nodiscard]] std::byte* operand() noexcept { return bytes <= sizeof beside / 2 ? beside : data; }
  [[nodiscard]] std::byte* old() noexcept {
    return bytes <= sizeof beside / 2 ? beside + sizeof beside / 2 : data + kCombineBytes;
  }

  /// The owner's side, from any of its threads: claims and serves an active message if there is one, and puts.
  bool serve(const memory::JobSegment& segment) noexcept {
    const bool served = state.load(std::memory_order_relaxed) == kAsked && claim_and_serve(segment);
    return puts.serve(segment) || served;
  }

 private:
  bool claim_and_serve(const memory::JobSegment& segment) noexcept;
  void carry_out() noexcept;
  template <typename Move>
  void for_runs(Move&& move) noexcept;
  void combine(std::byte* memory) noexcept;
};
static_assert(sizeof(TargetHandler) == 3 * kCacheLine + 1024 * 16 + 64 * 1024 + sizeof(PutStream));

}  // namespace starling::rma
