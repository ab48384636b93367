// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/request/requests.hpp"

#include <utility>

#include "collective/run/persistent_call.hpp"
#include "mpi/request/generalized_request.hpp"

namespace starling::mpi {

Status PersistentRequest::start(Context& context) {
  if (active_) {
    return Status::error(ErrorClass::kRequest,
                         "the persistent request is active already; complete it with MPI_Wait or MPI_Test first");
  }
  reset();
  Result<p2p::Request*> begun = begin(context);
  if (!begun.ok()) return std::move(begun).status();
  inner_ = begun.value();
  active_ = true;
  if (inner_->complete()) {
    absorb();
  } else {
    stand_for(inner_);
    inner_->set_continuation(
        [](p2p::Request& /*inner*/, void* self) { static_cast<PersistentRequest*>(self)->absorb(); }, this);
  }
  return {};
}

void PersistentRequest::absorb() {
  completion = inner_->completion;
  failure = std::move(inner_->failure);
  finish();
}

void PersistentRequest::deactivate() {
  active_ = false;
  if (inner_) std::exchange(inner_, nullptr)->dispose();
}

void PersistentRequest::dispose() {
  if (inner_) {
    // The engine keeps what the operation needs until it completes.
    inner_->set_continuation(nullptr, nullptr);
    inner_->dispose();
  }
  delete this;
}

Status write_outcome(p2p::Request& request, MPI_Status* status) {
  if (request.kind() == p2p::RequestKind::kGeneralized) [[unlikely]]
    return static_cast<GeneralizedRequest&>(request).query(status);
  write_status(status, request.completion);
  return {};
}

namespace {

Status conclude_generalized(Context& context, MPI_Request* handle, GeneralizedRequest& request, MPI_Status* status) {
  Status queried = request.query(status);
  context.requests.erase(*handle);
  *handle = MPI_REQUEST_NULL;
  // When both fail, the free function's failure is the one to report (13.2).
  Status released = request.release();
  return released.ok() ? std::move(queried) : std::move(released);
}

/// The handle stays: the receive completes yet when a message comes.
Status still_pending() {
  return Status::error(
      ErrorClass::kProcFailedPending,
      "the receive from any source waits on, but a member that could have sent has died; acknowledge it "
      "with MPIX_Comm_failure_ack and wait again, or cancel the receive");
}

}  // namespace

Status internal::conclude_unusual(Context& context, MPI_Request* handle, RequestEntry& entry, MPI_Status* status) {
  p2p::Request& request = *entry.request;
  if (request.suspended()) return still_pending();
  if (request.kind() == p2p::RequestKind::kGeneralized)
    return conclude_generalized(context, handle, static_cast<GeneralizedRequest&>(request), status);
  auto& persistent = static_cast<PersistentRequest&>(request);
  if (!persistent.active()) {
    write_empty_status(status);
    return {};
  }
  write_status(status, request.completion);
  Status failure = std::move(request.failure);
  persistent.deactivate();
  return failure;
}

}  // namespace starling::mpi
