// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rma/epoch/epochs.hpp"

#include <utility>

#include "base/format.hpp"
#include "p2p/request/failures.hpp"
#include "p2p/request/message.hpp"

namespace starling::rma {

Epochs::Epochs(const comm::Communicator& comm, const Control& control, WindowPeers& peers, std::vector<Target>& targets,
               FarSide* far)
    : rank_(comm.rank()),
      comm_(comm),
      control_(control),
      peers_(peers),
      targets_(targets),
      far_(far),
      starts_(targets.size()),
      exposures_(targets.size()) {}

Status Epochs::out_of_order(std::string why) { return Status::error(ErrorClass::kRmaSync, std::move(why)); }

Status Epochs::check_alive() const {
  if (comm_.fit_for_collectives()) [[likely]]
    return {};
  if ((comm_.condition() & comm::kRevoked) == 0) return p2p::process_failed(p2p::kAnySource);
  return Status::error(ErrorClass::kRevoked, "the window has been revoked; free it and make one of the survivors");
}

Status Epochs::check_access(std::int32_t rank) const {
  if (allow(at(rank))) return {};
  if (access_ == AccessEpoch::kStarted) {
    return out_of_order(formatted("rank {} is not in the group that was given to MPI_Win_start", rank));
  }
  if (access_ == AccessEpoch::kLocked) {
    return out_of_order(formatted("rank {} is not locked; call MPI_Win_lock for it first", rank));
  }
  return out_of_order(
      "no access epoch is open on the window; call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
      "MPI_Win_lock_all first");
}

Status Epochs::check_locked(std::int32_t rank) const {
  const bool locked =
      access_ == AccessEpoch::kLockedAll || (access_ == AccessEpoch::kLocked && at(rank).opened != Opened::kNo);
  if (locked) return {};
  return out_of_order(
      formatted("rank {} is not locked by this rank; the call is legal between MPI_Win_lock or MPI_Win_lock_all and "
                "the matching unlock only",
                rank));
}

Status Epochs::check_no_access() const {
  switch (access_) {
    case AccessEpoch::kStarted:
      return out_of_order("the epoch of MPI_Win_start is open; end it with MPI_Win_complete first");
    case AccessEpoch::kLocked: return out_of_order("a target is locked; unlock it with MPI_Win_unlock first");
    case AccessEpoch::kLockedAll:
      return out_of_order("all targets are locked; unlock them with MPI_Win_unlock_all first");
    case AccessEpoch::kFence:
      if (used_) {
        return out_of_order("accesses were made since the last MPI_Win_fence; complete them with another fence first");
      }
      break;
    case AccessEpoch::kNone: break;
  }
  return {};
}

Status Epochs::check_no_exposure() const {
  if (exposure_ == ExposureEpoch::kNone) return {};
  return out_of_order("the epoch of MPI_Win_post is open; end it with MPI_Win_wait first");
}

Status Epochs::check_idle() const {
  if (!comm_.fit_for_collectives()) return {};
  STARLING_TRY(check_no_access());
  return check_no_exposure();
}

void Epochs::begin_access(AccessEpoch epoch) noexcept {
  access_ = epoch;
  open_to_all_ = epoch == AccessEpoch::kFence || epoch == AccessEpoch::kLockedAll;
  used_ = false;
}

}  // namespace starling::rma
