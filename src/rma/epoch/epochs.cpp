// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Epochs: who may access what, and when others see it. Source: MPI-5.0, chapter 12.5.
#include <algorithm>
#include <string>

#include "rma/window/window.hpp"

namespace starling::rma {
namespace {

Status check_fit(const comm::Communicator& comm) {
  if (comm.fit_for_collectives()) [[likely]]
    return {};
  if ((comm.condition() & comm::kRevoked) == 0) return p2p::process_failed(p2p::kAnySource);
  return Status::error(ErrorClass::kRevoked, "the window has been revoked; free it and make one of the survivors");
}

Status out_of_order(std::string why) { return Status::error(ErrorClass::kRmaSync, std::move(why)); }

/// Counters of epochs wrap around.
bool reached(std::uint32_t counter, std::uint32_t wanted) noexcept {
  return static_cast<std::int32_t>(counter - wanted) >= 0;
}

}  // namespace

Status Window::check_access(std::int32_t rank) const {
  if (open_to_all_ || target(rank).opened != Opened::kNo) return {};
  const std::string who = "rank " + std::to_string(rank);
  switch (access_) {
    case Access::kStarted: return out_of_order(who + " is not in the group that was given to MPI_Win_start");
    case Access::kLocked: return out_of_order(who + " is not locked; call MPI_Win_lock for it first");
    default: break;
  }
  return out_of_order(
      "no access epoch is open on the window; call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
      "MPI_Win_lock_all first");
}

Status Window::check_locked(std::int32_t rank) const {
  const bool locked =
      access_ == Access::kLockedAll || (access_ == Access::kLocked && target(rank).opened != Opened::kNo);
  if (locked) return {};
  return out_of_order("rank " + std::to_string(rank) +
                      " is not locked by this rank; the call is legal between MPI_Win_lock or MPI_Win_lock_all and the "
                      "matching unlock only");
}

Status Window::check_no_access() const {
  switch (access_) {
    case Access::kStarted:
      return out_of_order("the epoch of MPI_Win_start is open; end it with MPI_Win_complete first");
    case Access::kLocked: return out_of_order("a target is locked; unlock it with MPI_Win_unlock first");
    case Access::kLockedAll: return out_of_order("all targets are locked; end that with MPI_Win_unlock_all first");
    case Access::kFence:
      if (used_) {
        return out_of_order("accesses were made since the last MPI_Win_fence; complete them with another fence first");
      }
      break;
    case Access::kNone: break;
  }
  return {};
}

Status Window::check_idle() const {
  if (!comm().fit_for_collectives()) return {};
  STARLING_TRY(check_no_access());
  if (exposure_ == Exposure::kNone) return {};
  return out_of_order("the epoch of MPI_Win_post is open; end it with MPI_Win_wait first");
}

void Window::begin_access(Access access) noexcept {
  access_ = access;
  open_to_all_ = access == Access::kFence || access == Access::kLockedAll;
  used_ = false;
}

Status Window::begin_fence() {
  if (access_ != Access::kFence) STARLING_TRY(check_no_access());
  if (exposure_ != Exposure::kNone) {
    return out_of_order("the epoch of MPI_Win_post is open; end it with MPI_Win_wait first");
  }
  sync();
  return {};
}

void Window::end_fence(Fence fence) noexcept { begin_access(fence == Fence::kOpens ? Access::kFence : Access::kNone); }

Result<std::vector<std::int32_t>> Window::ranks_of(const comm::Group& group) const {
  std::vector<std::int32_t> ranks;
  for (const std::int32_t world_rank : group.world_ranks()) {
    const std::int32_t rank = comm().group()->rank_of(world_rank);
    if (rank == comm::Group::kNotMember) {
      return Status::error(ErrorClass::kGroup, "the group names a process that is not in the window's group");
    }
    ranks.push_back(rank);
  }
  return ranks;
}

Status Window::post(const comm::Group& group) {
  if (exposure_ != Exposure::kNone) {
    return out_of_order("the epoch of the last MPI_Win_post is open; end it with MPI_Win_wait first");
  }
  Result<std::vector<std::int32_t>> origins = ranks_of(group);
  if (!origins.ok()) return std::move(origins).status();
  posted_ = std::move(origins).value();
  exposure_ = Exposure::kPosted;
  for (const std::int32_t origin : posted_) {
    // release: what this rank has stored in its part before it lets the origin in.
    control_.posted(origin, rank_).store(++exposures_[static_cast<std::size_t>(origin)], std::memory_order_release);
    peers_.ring(origin);
  }
  return {};
}

Status Window::start(const comm::Group& group) {
  STARLING_TRY(check_no_access());
  Result<std::vector<std::int32_t>> targets = ranks_of(group);
  if (!targets.ok()) return std::move(targets).status();
  started_ = std::move(targets).value();
  for (const std::int32_t target : started_) ++starts_[static_cast<std::size_t>(target)];
  peers_.wait([&] {
    return std::all_of(started_.begin(), started_.end(), [&](std::int32_t target) {
      return reached(control_.posted(rank_, target).load(std::memory_order_acquire),
                     starts_[static_cast<std::size_t>(target)]);
    });
  });
  STARLING_TRY(check_fit(comm()));
  begin_access(Access::kStarted);
  for (const std::int32_t target : started_) at(target).opened = Opened::kStarted;
  return {};
}

Status Window::complete() {
  if (access_ != Access::kStarted) return out_of_order("no epoch of MPI_Win_start is open on the window");
  for (const std::int32_t target : started_) {
    at(target).opened = Opened::kNo;
    // release: the accesses of the epoch.
    control_.completed(target, rank_).store(starts_[static_cast<std::size_t>(target)], std::memory_order_release);
    peers_.ring(target);
  }
  started_.clear();
  begin_access(Access::kNone);
  return {};
}

bool Window::all_completed() const noexcept {
  return std::all_of(posted_.begin(), posted_.end(), [&](std::int32_t origin) {
    return reached(control_.completed(rank_, origin).load(std::memory_order_acquire),
                   exposures_[static_cast<std::size_t>(origin)]);
  });
}

void Window::end_exposure() noexcept {
  posted_.clear();
  exposure_ = Exposure::kNone;
}

Status Window::wait() {
  if (exposure_ == Exposure::kNone) return out_of_order("no epoch of MPI_Win_post is open on the window");
  peers_.wait([&] { return all_completed(); });
  end_exposure();
  return check_fit(comm());
}

Status Window::test(bool* done) {
  if (exposure_ == Exposure::kNone) return out_of_order("no epoch of MPI_Win_post is open on the window");
  *done = all_completed();
  if (*done) end_exposure();
  return check_fit(comm());
}

Status Window::lock(std::int32_t rank, LockKind kind, LockCheck check) {
  if (rank == p2p::kProcNull) return check_fit(comm());
  STARLING_TRY(check_fit(comm()));
  if (access_ != Access::kLocked) STARLING_TRY(check_no_access());
  if (at(rank).opened != Opened::kNo) {
    return out_of_order("rank " + std::to_string(rank) + " is locked by this rank already; unlock it first");
  }
  if (check == LockCheck::kNobodyElse) {
    at(rank).opened = Opened::kUnchecked;
  } else if (kind == LockKind::kShared) {
    peers_.take_shared(control_.access(rank));
    at(rank).opened = Opened::kShared;
  } else {
    peers_.take_exclusive(control_.access(rank));
    at(rank).opened = Opened::kExclusive;
  }
  if (locked_targets_++ == 0) begin_access(Access::kLocked);
  return check_fit(comm());
}

Status Window::unlock(std::int32_t rank) {
  if (rank == p2p::kProcNull) return check_fit(comm());
  if (access_ != Access::kLocked || at(rank).opened == Opened::kNo) {
    return out_of_order("rank " + std::to_string(rank) + " is not locked by this rank");
  }
  const Opened how = std::exchange(at(rank).opened, Opened::kNo);
  if (how == Opened::kShared) peers_.drop_shared(control_.access(rank));
  if (how == Opened::kExclusive) peers_.drop_exclusive(control_.access(rank));
  if (--locked_targets_ == 0) begin_access(Access::kNone);
  return check_fit(comm());
}

// Waits with nothing but one lock in hand: a rank that holds one target alone and wants the next would never let go.
void Window::take_all_shared() {
  std::int32_t waited_for = 0;
  std::int32_t refused = 0;
  while (refused >= 0 && !peers_.in_vain()) {
    waited_for = refused;
    refused = -1;
    peers_.take_shared(control_.access(waited_for));
    for (std::int32_t rank = 0; rank < size() && refused < 0; ++rank) {
      if (rank != waited_for && !control_.access(rank).try_shared()) refused = rank;
    }
    if (refused < 0) return;
    for (std::int32_t rank = 0; rank < refused; ++rank) {
      if (rank != waited_for) peers_.drop_shared(control_.access(rank));
    }
    peers_.drop_shared(control_.access(waited_for));
  }
}

Status Window::lock_all(LockCheck check) {
  STARLING_TRY(check_fit(comm()));
  STARLING_TRY(check_no_access());
  if (check == LockCheck::kTake) take_all_shared();
  STARLING_TRY(check_fit(comm()));
  all_locked_ = check;
  begin_access(Access::kLockedAll);
  return {};
}

Status Window::unlock_all() {
  if (access_ != Access::kLockedAll) return out_of_order("no epoch of MPI_Win_lock_all is open on the window");
  for (std::int32_t rank = 0; rank < size() && all_locked_ == LockCheck::kTake; ++rank) {
    peers_.drop_shared(control_.access(rank));
  }
  sync();
  begin_access(Access::kNone);
  return check_fit(comm());
}

Status Window::flush(std::int32_t rank) {
  if (rank == p2p::kProcNull) return check_fit(comm());
  STARLING_TRY(check_locked(rank));
  sync();
  return check_fit(comm());
}

Status Window::flush_all() {
  if (access_ != Access::kLocked && access_ != Access::kLockedAll) {
    return out_of_order(
        "no target is locked; the call is legal between MPI_Win_lock or MPI_Win_lock_all and the "
        "matching unlock only");
  }
  sync();
  return check_fit(comm());
}

}  // namespace starling::rma
