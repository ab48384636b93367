// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// GeneralizedRequest: an operation of the user's own behind an MPI request. The library only asks the user's functions
// for its status, to cancel it and to free what it holds.
//
// Thread safety: the holder of the world's lock; the callbacks run with it and may call MPI.
// Invariants: the free function runs once, when the operation is complete and its handle is given up, whichever comes
// last; the handle stays alive until then, because the user completes the operation through it.
// Source: MPI-5.0, chapter 13.2.
#pragma once

#include <mpi.h>

#include "base/status.hpp"
#include "p2p/request/request.hpp"

namespace starling::mpi {

class GeneralizedRequest final : public p2p::Request {
 public:
  struct Functions {
    MPI_Grequest_query_function* query;
    MPI_Grequest_free_function* free;
    MPI_Grequest_cancel_function* cancel;
    void* extra_state;
  };

  explicit GeneralizedRequest(const Functions& functions) noexcept
      : Request(p2p::RequestKind::kGeneralized), functions_(functions) {}

  /// Asks for the status and writes all of it but MPI_ERROR, nothing for MPI_STATUS_IGNORE.
  Status query(MPI_Status* status);
  /// Passes MPI_Cancel on, also after completion.
  Status ask_to_cancel();
  /// Runs the free function and destroys the request.
  Status release();

  /// The handle has been given up before completion: release when complete.
  void abandon() noexcept { abandoned_ = true; }
  [[nodiscard]] bool abandoned() const noexcept { return abandoned_; }

  /// Destroys the request without a word to the user: MPI is at its end.
  void dispose() override { delete this; }

 private:
  ~GeneralizedRequest() override = default;

  Functions functions_;
  bool abandoned_ = false;
};

}  // namespace starling::mpi
