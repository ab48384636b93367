// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Epochs: which targets of a window this rank may access, and which origins may access its own part.
//
// An epoch is a right to access and no queue: whoever ends one, or flushes, has waited for puts under way before
// (Window::finish), and a flush orders memory.
// Thread safety: the world's lock; what waits gives it up.
// Invariants: a rank's epochs are those of MPI-5.0, 12.5; a call outside of one fails with kRmaSync and changes
// nothing. Source: MPI-5.0, chapter 12.5.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "rma/far/far_side.hpp"
#include "rma/shared/control.hpp"
#include "rma/shared/window_peers.hpp"
#include "rma/target/target.hpp"

namespace starling::rma {

enum class Fence : std::uint8_t { kOpens, kLast };           ///< kLast: no accesses follow (MPI_MODE_NOSUCCEED)
enum class LockCheck : std::uint8_t { kTake, kNobodyElse };  ///< kNobodyElse: MPI_MODE_NOCHECK

class Epochs {
 public:
  /// The window owns all of these and outlives its epochs. far: null where all ranks are on one node.
  Epochs(const comm::Communicator& comm, const Control& control, WindowPeers& peers, std::vector<Target>& targets,
         FarSide* far);

  // Active target. OneSided runs the barrier of a fence between begin_fence() and end_fence().
  Status begin_fence();
  void end_fence(Fence fence) noexcept;
  Status post(const comm::Group& group);
  Status start(const comm::Group& group);
  Status complete();
  Status wait();
  Status test(bool* done);

  // Passive target. rank may be kProcNull.
  Status lock(std::int32_t rank, LockKind kind, LockCheck check);
  Status unlock(std::int32_t rank);
  Status lock_all(LockCheck check);
  Status unlock_all();
  /// Both kinds of flush.
  Status flush(std::int32_t rank);
  Status flush_all();
  static void sync() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

  // What an access asks.
  [[nodiscard]] bool allow(const Target& target) const noexcept { return open_to_all_ || target.opened != Opened::kNo; }
  void note_access() noexcept { used_ = true; }
  /// Why the target must not be accessed now, or success.
  [[nodiscard]] Status check_access(std::int32_t rank) const;
  /// Ok when the target is locked, as request-based accesses want it.
  [[nodiscard]] Status check_locked(std::int32_t rank) const;
  /// Ok when no epoch is open, so that the window may be freed; also where a process of the window has died, as its
  /// epochs cannot be ended any more.
  [[nodiscard]] Status check_idle() const;

 private:
  enum class AccessEpoch : std::uint8_t { kNone, kFence, kStarted, kLocked, kLockedAll };
  enum class ExposureEpoch : std::uint8_t { kNone, kPosted };

  /// Why the window cannot be synchronised any more, or success.
  [[nodiscard]] Status check_alive() const;
  /// Ok when a new access epoch may begin.
  [[nodiscard]] Status check_no_access() const;
  [[nodiscard]] Status check_no_exposure() const;
  static Status out_of_order(std::string why);
  void begin_access(AccessEpoch epoch) noexcept;

  Result<std::vector<std::int32_t>> ranks_of(const comm::Group& group) const;
  [[nodiscard]] bool has_posted(std::int32_t target) const noexcept;
  [[nodiscard]] bool all_posted() const noexcept;
  [[nodiscard]] bool has_completed(std::int32_t origin) const noexcept;
  [[nodiscard]] bool all_completed() const noexcept;
  void end_exposure() noexcept;
  void take_all_shared();
  // Locks of one target, near or far.
  void take(std::int32_t rank, LockKind kind);
  void drop(std::int32_t rank, LockKind kind);
  /// The shared locks of all far targets but one, or of none.
  bool try_shared_far(std::int32_t but, std::int32_t* refused);
  void tell_posted(std::int32_t origin);
  void tell_completed(std::int32_t target);
  [[nodiscard]] bool is_far(std::int32_t rank) const noexcept { return at(rank).reach == Reach::kFar; }

  [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(targets_.size()); }
  [[nodiscard]] Target& at(std::int32_t rank) const noexcept { return targets_[static_cast<std::size_t>(rank)]; }

  // What every access reads.
  bool open_to_all_ = false;
  bool used_ = false;  ///< an access was made since the last fence
  AccessEpoch access_ = AccessEpoch::kNone;
  ExposureEpoch exposure_ = ExposureEpoch::kNone;
  LockCheck all_locked_ = LockCheck::kTake;  ///< how, while all are
  std::int32_t locked_targets_ = 0;
  std::int32_t rank_;
  const comm::Communicator& comm_;
  const Control& control_;
  WindowPeers& peers_;
  std::vector<Target>& targets_;
  FarSide* far_;
  std::vector<std::int32_t> started_;     ///< targets of the access epoch
  std::vector<std::int32_t> posted_;      ///< origins of the exposure epoch
  std::vector<std::uint32_t> starts_;     ///< access epochs at each target, begun by this rank
  std::vector<std::uint32_t> exposures_;  ///< exposure epochs for each origin, begun by this rank
};

}  // namespace starling::rma
