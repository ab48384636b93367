// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the completion calls share, and the requests that mpi/ itself makes around those of the engines.
//
// Thread safety: the holder of the world's lock.
// Invariants: a request's handle dies when its completion has been reported, but a persistent one's, which only becomes
// inactive. Source: MPI-5.0, chapters 3.7, 3.9 and 3.10.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/boundary/context.hpp"
#include "mpi/boundary/status.hpp"

namespace starling::mpi {

/// An operation that can be started again and again (3.9): while it is active, the request of an engine stands for it.
class PersistentRequest : public p2p::Request {
 public:
  [[nodiscard]] bool active() const noexcept { return active_; }
  Status start(Context& context);
  /// Its completion has been reported: it may be started again.
  void deactivate();

  void dispose() override;
  void cancel() override {
    if (inner_) inner_->cancel();
  }
  [[nodiscard]] observe::Awaited awaited() const override { return inner_ ? inner_->awaited() : observe::Awaited(); }

 protected:
  PersistentRequest() noexcept : Request(p2p::RequestKind::kPersistent) {}

  /// Starts the operation once.
  virtual Result<p2p::Request*> begin(Context& context) = 0;

 private:
  void absorb();

  p2p::Request* inner_ = nullptr;
  bool active_ = false;
};

/// A buffered send's: complete from the start.
class CompleteRequest final : public p2p::Request {
 public:
  explicit CompleteRequest(const p2p::Completion& done) : Request(p2p::RequestKind::kSend) {
    completion = done;
    finish();
  }
  void dispose() override { delete this; }
};

/// Whether the handle refers to something that can still complete: not null, not an inactive persistent request.
[[nodiscard]] inline bool is_active(const RequestEntry& entry) noexcept {
  return entry.request->kind() != p2p::RequestKind::kPersistent ||
         static_cast<const PersistentRequest*>(entry.request)->active();
}

/// Whether a death or a revocation has ended the operation, or keeps it from ending: what is awaited beside it may
/// never come either, and the program must learn of it.
[[nodiscard]] inline bool is_in_vain(const p2p::Request& request) noexcept {
  return request.suspended() || (request.complete() && is_about_deaths(request.failure.error_class()));
}

/// Writes the status of a complete request but MPI_ERROR. Fails only where the user's own function has to be asked.
Status write_outcome(p2p::Request& request, MPI_Status* status);

namespace internal {
/// conclude() of a persistent, a generalized or a suspended request.
Status conclude_unusual(Context& context, MPI_Request* handle, RequestEntry& entry, MPI_Status* status);
}  // namespace internal

/// Reports a complete request: writes the status but MPI_ERROR (the empty one for an inactive request), ends the handle
/// or makes it inactive, and returns why the operation failed.
inline Status conclude(Context& context, MPI_Request* handle, RequestEntry& entry, MPI_Status* status) {
  p2p::Request& request = *entry.request;
  const p2p::RequestKind kind = request.kind();
  if (!request.complete() || kind == p2p::RequestKind::kPersistent || kind == p2p::RequestKind::kGeneralized)
      [[unlikely]] {
    return internal::conclude_unusual(context, handle, entry, status);
  }
  write_status(status, request.completion);
  Status failure = std::move(request.failure);
  context.requests.erase(*handle);
  *handle = MPI_REQUEST_NULL;
  request.dispose();
  return failure;
}

/// Whether the request could be concluded now; an inactive one can.
[[nodiscard]] inline bool is_done(const RequestEntry& entry) noexcept {
  return entry.request->settled() || !is_active(entry);
}

}  // namespace starling::mpi
