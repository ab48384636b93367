// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Action: what a simulated thread is about to do. Step: that it does so, and with which of the outcomes that the memory
// model permits.
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace starling::weak {

enum class Order : std::uint8_t { kRelaxed, kAcquire, kRelease, kAcqRel, kSeqCst };
[[nodiscard]] constexpr bool acquires(Order order) noexcept {
  return order == Order::kAcquire || order == Order::kAcqRel || order == Order::kSeqCst;
}
[[nodiscard]] constexpr bool releases(Order order) noexcept {
  return order == Order::kRelease || order == Order::kAcqRel || order == Order::kSeqCst;
}
[[nodiscard]] const char* name(Order order) noexcept;

enum class Kind : std::uint8_t {
  kBegin,  ///< the thread's first step
  kLoad,
  kStore,
  kModify,  ///< an atomic read-modify-write
  kFence,   ///< seq_cst; weaker fences concern their thread alone and are no steps
  kFutexWait,
  kFutexWake,
  kBarrier,     ///< membarrier: begins it
  kBarrierEnd,  ///< all others have been reached
  kInterrupt,   ///< membarrier reaches this thread
  kLookAgain,   ///< the thread has looked in vain; something that it looked at is new
};
[[nodiscard]] const char* name(Kind kind) noexcept;

struct Action {
  Kind kind = Kind::kBegin;
  Order order = Order::kRelaxed;
  Order order_of_failure = Order::kRelaxed;
  int object = -1;
  std::uint64_t value = 0;
  /// Of kModify: whether what was read is replaced, and by what.
  std::function<bool(std::uint64_t* value)> modify;
};

struct Step {
  int thread = 0;
  Kind kind = Kind::kBegin;
  int object = -1;
  /// kLoad, kFutexWait: the message read. kStore, kModify: the message before the new one. kLookAgain: the message that
  /// is not read again. Messages are numbered as they come, so that a number means the same whatever comes between.
  int message = -1;
  bool writes = false;
  bool seq_cst = false;

  bool operator==(const Step&) const = default;
};

/// Whether the two come to the same in either order, with the same outcomes. A load and a store of one object do: what
/// a load reads is part of its step, and a store takes no older message away from it.
[[nodiscard]] bool are_independent(const Step& a, const Step& b) noexcept;

}  // namespace starling::weak
