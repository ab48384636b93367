// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Passive target synchronisation: locks and flushes.
#include <utility>

#include "base/format.hpp"
#include "p2p/request/message.hpp"
#include "rma/epoch/epochs.hpp"

namespace starling::rma {

void Epochs::take(std::int32_t rank, LockKind kind) {
  if (is_far(rank)) {
    far_->origin().lock(rank, kind);
  } else if (kind == LockKind::kShared) {
    peers_.take_shared(control_.access(rank));
  } else {
    peers_.take_exclusive(control_.access(rank));
  }
}

void Epochs::drop(std::int32_t rank, LockKind kind) {
  if (is_far(rank)) {
    far_->origin().unlock(rank, kind);
  } else if (kind == LockKind::kShared) {
    peers_.drop_shared(control_.access(rank));
  } else {
    peers_.drop_exclusive(control_.access(rank));
  }
}

Status Epochs::lock(std::int32_t rank, LockKind kind, LockCheck check) {
  if (rank == p2p::kProcNull) return check_alive();
  STARLING_TRY(check_alive());
  if (access_ != AccessEpoch::kLocked) STARLING_TRY(check_no_access());
  if (at(rank).opened != Opened::kNo) {
    return out_of_order(formatted("rank {} is locked by this rank already; unlock it first", rank));
  }
  if (check == LockCheck::kNobodyElse) {
    at(rank).opened = Opened::kUnchecked;
  } else {
    take(rank, kind);
    at(rank).opened = kind == LockKind::kShared ? Opened::kShared : Opened::kExclusive;
  }
  if (locked_targets_++ == 0) begin_access(AccessEpoch::kLocked);
  return check_alive();
}

Status Epochs::unlock(std::int32_t rank) {
  if (rank == p2p::kProcNull) return check_alive();
  if (access_ != AccessEpoch::kLocked || at(rank).opened == Opened::kNo) {
    return out_of_order(formatted("rank {} is not locked by this rank", rank));
  }
  const Opened how = std::exchange(at(rank).opened, Opened::kNo);
  if (how == Opened::kShared) drop(rank, LockKind::kShared);
  if (how == Opened::kExclusive) drop(rank, LockKind::kExclusive);
  if (--locked_targets_ == 0) begin_access(AccessEpoch::kNone);
  return check_alive();
}

// Waits while it holds no lock: it could otherwise wait for a rank that waits for it.
void Epochs::take_all_shared() {
  std::int32_t waited_for = 0;
  std::int32_t refused = 0;
  while (refused >= 0 && !peers_.broken()) {
    waited_for = refused;
    refused = -1;
    take(waited_for, LockKind::kShared);
    std::int32_t tried = 0;
    for (; tried < size() && refused < 0; ++tried) {
      if (tried != waited_for && !is_far(tried) && !control_.access(tried).try_shared()) refused = tried;
    }
    if (refused < 0 && (far_ == nullptr || try_shared_far(waited_for, &refused))) return;
    for (std::int32_t rank = 0; rank < tried; ++rank) {
      if (rank != waited_for && rank != refused && !is_far(rank)) peers_.drop_shared(control_.access(rank));
    }
    drop(waited_for, LockKind::kShared);
  }
}

bool Epochs::try_shared_far(std::int32_t but, std::int32_t* refused) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    if (rank != but && is_far(rank)) ranks.push_back(rank);
  }
  return far_->origin().try_lock_shared(ranks, refused);
}

Status Epochs::lock_all(LockCheck check) {
  STARLING_TRY(check_alive());
  STARLING_TRY(check_no_access());
  if (check == LockCheck::kTake) take_all_shared();
  STARLING_TRY(check_alive());
  all_locked_ = check;
  begin_access(AccessEpoch::kLockedAll);
  return {};
}

Status Epochs::unlock_all() {
  if (access_ != AccessEpoch::kLockedAll) return out_of_order("no epoch of MPI_Win_lock_all is open on the window");
  for (std::int32_t rank = 0; rank < size() && all_locked_ == LockCheck::kTake; ++rank) {
    drop(rank, LockKind::kShared);
  }
  sync();
  begin_access(AccessEpoch::kNone);
  return check_alive();
}

Status Epochs::flush(std::int32_t rank) {
  if (rank == p2p::kProcNull) return check_alive();
  STARLING_TRY(check_locked(rank));
  sync();
  return check_alive();
}

Status Epochs::flush_all() {
  if (access_ != AccessEpoch::kLocked && access_ != AccessEpoch::kLockedAll) {
    return out_of_order(
        "no target is locked; the call is legal between MPI_Win_lock or MPI_Win_lock_all and the "
        "matching unlock only");
  }
  sync();
  return check_alive();
}

}  // namespace starling::rma
