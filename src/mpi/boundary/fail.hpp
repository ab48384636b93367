// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// fail() and done(): how a check or the body of a call says that it failed.
//
// Every step of a call returns MPI_SUCCESS or an error class. A step that fails has first *noted* its failure with
// fail(); BoundaryCall::report() then adds the text of the call and passes it to the error handler, once. A body fails
// in the same way: `return fail(status)`, or `return fail(status, comm)` when another object's error handler is due
// than that of the call's own argument (a request's communicator). A body that returns a code without noting anything
// has already reported it, and the code goes to the caller as it is. Thread safety: the noted failure is kept for each
// thread. Source: MPI-5.0, chapter 9.3.
#pragma once

#include <mpi.h>

#include <utility>

#include "base/status.hpp"
#include "mpi/boundary/error_owner.hpp"

namespace starling::mpi {

/// Notes a failure for BoundaryCall::report() and returns its code. Without an owner, the error handler of the call's
/// own argument is used, or that of MPI_COMM_SELF when the call has none.
[[gnu::cold]] int fail(Status status);
[[gnu::cold]] int fail(Status status, const ErrorOwner& owner);
[[gnu::cold]] int fail(Status status, MPI_Comm owner);
[[gnu::cold]] int fail(Status status, MPI_Win owner);
[[gnu::cold]] int fail(Status status, MPI_File owner);
[[gnu::cold]] int fail(Status status, MPI_Session owner);

/// What a call returns that ended so.
inline int done(Status status) {
  if (status.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(std::move(status));
}
template <typename Owner>
int done(Status status, const Owner& owner) {
  if (status.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(std::move(status), owner);
}

}  // namespace starling::mpi
