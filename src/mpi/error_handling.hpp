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
#include "mpi/context.hpp"

namespace starling::mpi {

/// The object whose error handler is due. One that is not alive counts as none, and none as MPI_COMM_SELF. kHandler:
/// the caller named the handler itself, for the object that could not be made.
struct ErrorOwner {
  enum class Kind : std::uint8_t { kNone, kComm, kFile, kSession, kWin, kHandler };
  Kind kind = Kind::kNone;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_File file = MPI_FILE_NULL;
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

  static ErrorOwner none() noexcept { return {}; }
  static ErrorOwner of(MPI_Comm handle) noexcept {
    ErrorOwner owner{.kind = Kind::kComm};
    owner.comm = handle;
    return owner;
  }
  static ErrorOwner of(MPI_File handle) noexcept {
    ErrorOwner owner{.kind = Kind::kFile};
    owner.file = handle;
    return owner;
  }
  static ErrorOwner of(MPI_Session handle) noexcept {
    ErrorOwner owner{.kind = Kind::kSession};
    owner.session = handle;
    return owner;
  }
  static ErrorOwner of(MPI_Win handle) noexcept {
    ErrorOwner owner{.kind = Kind::kWin};
    owner.win = handle;
    return owner;
  }
  static ErrorOwner of_handler(MPI_Errhandler handler) noexcept {
    ErrorOwner owner{.kind = Kind::kHandler};
    owner.handler = handler;
    return owner;
  }
};

/// Notes a failure as fail() in checks.hpp does.
[[gnu::cold]] int fail(Status status, ErrorOwner owner);

/// Hands the failure of a call to the handler of its owner and returns its code if the handler returns.
int raise_error(Context& context, ErrorOwner owner, const Status& failure, const std::string& call_text);

/// The same for a code that a program gives to MPI_Comm_call_errhandler.
void call_handler(Context& context, ErrorOwner owner, int code, const std::string& message);

/// What MPI_Error_string says: the whole message of this thread's last failure if that had this code, so that a program
/// that asks right after a call learns what was wrong; else what the code means.
[[nodiscard]] std::string failure_text(Context& context, int code);

/// Ends the whole job. The message is a sentence without "starling: rank ..." before it.
[[noreturn]] void end_job(Context& context, int code, std::string_view message);

/// MPI_COMM_WORLD, the name the user gave, or the handle as a number.
[[nodiscard]] std::string comm_text(Context& context, MPI_Comm handle);

}  // namespace starling::mpi
