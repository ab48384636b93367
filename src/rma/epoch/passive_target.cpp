// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Passive target synchronisation: locks and flushes.
#include <utility>

#include "base/format.hpp"
#include "p2p/request/message.hpp"
#include "rma/epoch/epochs.hpp"

namespace starling::rma {

Status Epochs::lock(std::int32_t rank, LockKind kind, LockCheck check) {
  if (rank == p2p::kProcNull) return check_alive();
  STARLING_TRY(check_alive());
  if (access_ != AccessEpoch::kLocked) STARLING_TRY(check_no_access());
  if (at(rank).opened != Opened::kNo) {
    return out_of_order(formatted("rank {} is locked by this rank already; unlock it first", rank));
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
  if (locked_targets_++ == 0) begin_access(AccessEpoch::kLocked);
  return check_alive();
}

Status Epochs::unlock(std::int32_t rank) {
  if (rank == p2p::kProcNull) return check_alive();
  if (access_ != AccessEpoch::kLocked || at(rank).opened == Opened::kNo) {
    return out_of_order(formatted("rank {} is not locked by this rank", rank));
  }
  const Opened how = std::exchange(at(rank).opened, Opened::kNo);
  if (how == Opened::kShared) peers_.drop_shared(control_.access(rank));
  if (how == Opened::kExclusive) peers_.drop_exclusive(control_.access(rank));
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
    peers_.drop_shared(control_.access(rank));
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
