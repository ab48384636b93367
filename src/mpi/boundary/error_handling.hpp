// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What becomes of a failure: the message, the error handler that is due, the end of the job.
// Thread safety: the holder of the world's lock; a user's handler runs on the failing thread with the lock held and may
// call MPI. Source: MPI-5.0, chapters 9.3 and 9.5.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>

#include "base/status.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/error_owner.hpp"

namespace starling::mpi {

/// Hands the failure of a call to the handler of its owner and returns what the handler leaves in the code that it is
/// given ("the error code to be returned by the MPI routine", 9.3.1), if it returns.
int raise_error(Context& context, ErrorOwner owner, const Status& failure, const std::string& call_text);

/// The same for a call that completed several operations: the handler gets the code of the one that failed, and the
/// call returns MPI_ERR_IN_STATUS, unless the handler has put another code in its place (9.3.1).
int raise_error_in_status(Context& context, ErrorOwner owner, const Status& failure, const std::string& call_text);

/// The same for a code that a program gives to MPI_Comm_call_errhandler.
int call_handler(Context& context, ErrorOwner owner, int code, const std::string& message);

/// Where the error handler that is due for this owner is kept; null when no handler is due. Not for
/// ErrorOwner::of_handler.
[[nodiscard]] MPI_Errhandler* errhandler_place(Context& context, const ErrorOwner& owner);

/// What MPI_Error_string says: the whole message of this thread's last failure if that had this code, so that a program
/// that asks right after a call learns what was wrong; else what the code means.
[[nodiscard]] std::string failure_text(Context& context, int code);

/// Ends the whole job. The message is a sentence without "starling: rank ..." before it.
[[noreturn]] void end_job(Context& context, int code, std::string_view message);

}  // namespace starling::mpi
