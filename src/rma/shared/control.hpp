// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Control: what the ranks of a window share beside its memory: locks, the flags of post and complete, who has left,
// attachments.
//
// Layout of a window's region: RankLocks[n] | posted[n][n] | completed[n][n] | left[n] | AttachmentTable[n] (dynamic
// windows) | page border | the ranks' memory. Each row of flags is read by one rank and begins on its own line.
// Thread safety: any thread of any process. posted(o, t) counts the exposure epochs that target t has opened for origin
// o and is written by t only; completed(t, o) counts the access epochs that o has completed at t, written by o only.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/arena.hpp"
#include "rma/shared/attachments.hpp"
#include "rma/shared/shared_lock.hpp"

namespace starling::rma {

// Processors fetch lines in pairs, so each rank's locks are a pair of their own.
struct alignas(2 * kCacheLine) RankLocks {
  SharedLock access;
  SharedLock accumulate;
};
static_assert(sizeof(RankLocks) == 2 * kCacheLine);

class Control {
 public:
  enum class Attaching : std::uint8_t { kNo, kYes };

  /// Bytes that the control part takes, whole pages.
  static std::uint64_t bytes(std::int32_t ranks, Attaching attaching) noexcept;

  Control() noexcept = default;
  Control(std::byte* base, std::int32_t ranks) noexcept;

  /// By one rank, before the others look.
  void initialise(Attaching attaching) noexcept;

  /// MPI_Win_lock's.
  [[nodiscard]] SharedLock& access(std::int32_t rank) const noexcept { return locks_[rank].access; }
  /// Held while elements of this rank's memory are accumulated.
  [[nodiscard]] SharedLock& accumulate(std::int32_t rank) const noexcept { return locks_[rank].accumulate; }
  [[nodiscard]] std::atomic<std::uint32_t>& posted(std::int32_t origin, std::int32_t target) const noexcept {
    return posted_[origin * row_ + target];
  }
  [[nodiscard]] std::atomic<std::uint32_t>& completed(std::int32_t target, std::int32_t origin) const noexcept {
    return completed_[target * row_ + origin];
  }
  [[nodiscard]] AttachmentTable& attachments(std::int32_t rank) const noexcept { return attachments_[rank]; }

  // Whether a rank of this node has freed the window. After a death the ranks do so when each of them likes.
  void leave(const memory::Arena::Guard& /*guard*/, std::int32_t rank) noexcept { left_[rank] = 1; }
  [[nodiscard]] bool has_left(const memory::Arena::Guard& /*guard*/, std::int32_t rank) const noexcept {
    return left_[rank] != 0;
  }

 private:
  using Flag = std::atomic<std::uint32_t>;

  std::int32_t ranks_ = 0;
  std::ptrdiff_t row_ = 0;  ///< flags in a row
  RankLocks* locks_ = nullptr;
  Flag* posted_ = nullptr;
  Flag* completed_ = nullptr;
  std::uint32_t* left_ = nullptr;
  AttachmentTable* attachments_ = nullptr;
};

}  // namespace starling::rma
