// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ErrorOwner: the object whose error handler hears of a failure.
// Thread safety: a value type. Source: MPI-5.0, chapter 9.3.
#pragma once

#include <mpi.h>

#include <cstdint>

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

}  // namespace starling::mpi
