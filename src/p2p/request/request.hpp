// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Request: an operation in flight. Every kind of operation that MPI hands a handle out for derives from this class:
// sends and receives here, collectives in collective/, persistent and generalized requests in mpi/.
//
// Thread safety: the holder of the world's lock. Ownership: the maker of the request owns it until complete;
// then whoever holds the handle gives it back with dispose().
// Invariants: complete goes from false to true once for each start; status and failure are valid only when complete.
#pragma once

#include <cstdint>

#include "base/intrusive_list.hpp"
#include "base/status.hpp"
#include "observe/awaited.hpp"

namespace starling::p2p {

enum class RequestKind : std::uint8_t { kSend, kReceive, kCollective, kPersistent, kGeneralized };

/// What MPI_Status reports. source is a rank of the communicator.
struct Completion {
  std::int32_t source = -1;
  std::int32_t tag = -1;
  std::int64_t bytes = 0;
  bool cancelled = false;
};

class Request : public ListHook {
 public:
  /// Called once, under the lock, at the moment of completion, by whoever moved the last byte. It must not wait and
  /// must not free the request; it is for queueing the continuation (a coroutine, a waiting list).
  using Continuation = void (*)(Request& request, void* context);

  [[nodiscard]] bool complete() const noexcept { return complete_; }
  /// A receive from any source that is not complete and not to be waited for until the death of a process has been
  /// acknowledged. It still completes when a message comes.
  [[nodiscard]] bool suspended() const noexcept { return suspended_ || (inner_ != nullptr && inner_->suspended()); }
  void suspend(bool suspended) noexcept { suspended_ = suspended; }
  /// Of a request that stands for another while that is under way.
  void stand_for(const Request* inner) noexcept { inner_ = inner; }
  /// Nothing to wait for.
  [[nodiscard]] bool settled() const noexcept { return complete_ || suspended(); }
  [[nodiscard]] RequestKind kind() const noexcept { return kind_; }

  Completion completion;
  Status failure;  ///< ok, or why the operation failed (truncation, cancelled peer, ...)

  void set_continuation(Continuation continuation, void* context) noexcept {
    continuation_ = continuation;
    continuation_context_ = context;
  }

  /// Marks the operation complete and runs the continuation.
  void finish() {
    complete_ = true;
    suspended_ = false;
    inner_ = nullptr;
    if (continuation_) continuation_(*this, continuation_context_);
  }

  /// Gives the request back to its maker. Incomplete requests are given back when they complete (MPI_Request_free).
  virtual void dispose() = 0;

  /// The message that completes the operation, or the collective that it is, as far as it is known.
  [[nodiscard]] virtual observe::Awaited awaited() const { return {}; }

  /// Ends a send or a receive now, with this failure unless it is all but complete; its buffer is free then.
  virtual void give_up(const Status& /*why*/) {}

  /// MPI_Cancel; does nothing where the operation can no longer be cancelled.
  virtual void cancel() {}

 protected:
  explicit Request(RequestKind kind) noexcept : kind_(kind) {}
  virtual ~Request() = default;

  /// Makes a recycled request look new.
  void reset() {
    complete_ = false;
    suspended_ = false;
    inner_ = nullptr;
    completion = Completion{};
    failure = Status{};
    continuation_ = nullptr;
  }

 private:
  RequestKind kind_;
  bool complete_ = false;
  bool suspended_ = false;
  const Request* inner_ = nullptr;
  Continuation continuation_ = nullptr;
  void* continuation_context_ = nullptr;
};

}  // namespace starling::p2p
