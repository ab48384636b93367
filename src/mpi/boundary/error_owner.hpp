// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ErrorOwner: the object whose error handler hears of a failure.
// Thread safety: a value type. Source: MPI-5.0, chapter 9.3.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace starling::mpi {

/// The object whose error handler is due. One that is not alive counts as none, and none as MPI_COMM_SELF. kHandler:
/// the caller named the handler itself, for the object that could not be made. Every request keeps one, so it is small.
class ErrorOwner {
 public:
  enum class Kind : std::uint8_t { kNone, kComm, kFile, kSession, kWin, kHandler };

  ErrorOwner() noexcept = default;

  static ErrorOwner none() noexcept { return {}; }
  static ErrorOwner of(MPI_Comm handle) noexcept { return {Kind::kComm, handle}; }
  static ErrorOwner of(MPI_File handle) noexcept { return {Kind::kFile, handle}; }
  static ErrorOwner of(MPI_Session handle) noexcept { return {Kind::kSession, handle}; }
  static ErrorOwner of(MPI_Win handle) noexcept { return {Kind::kWin, handle}; }
  static ErrorOwner of_handler(MPI_Errhandler handler) noexcept { return {Kind::kHandler, handler}; }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }

  // The handle, or the null handle where the owner is of another kind.
  [[nodiscard]] MPI_Comm comm() const noexcept { return kind_ == Kind::kComm ? as<MPI_Comm>() : MPI_COMM_NULL; }
  [[nodiscard]] MPI_File file() const noexcept { return kind_ == Kind::kFile ? as<MPI_File>() : MPI_FILE_NULL; }
  [[nodiscard]] MPI_Session session() const noexcept {
    return kind_ == Kind::kSession ? as<MPI_Session>() : MPI_SESSION_NULL;
  }
  [[nodiscard]] MPI_Win win() const noexcept { return kind_ == Kind::kWin ? as<MPI_Win>() : MPI_WIN_NULL; }
  [[nodiscard]] MPI_Errhandler handler() const noexcept {
    return kind_ == Kind::kHandler ? as<MPI_Errhandler>() : MPI_ERRHANDLER_NULL;
  }

 private:
  ErrorOwner(Kind kind, void* handle) noexcept : handle_(handle), kind_(kind) {}

  template <typename Handle>
  [[nodiscard]] Handle as() const noexcept {
    return static_cast<Handle>(handle_);
  }

  void* handle_ = nullptr;
  Kind kind_ = Kind::kNone;
};
static_assert(sizeof(ErrorOwner) == 16);

}  // namespace starling::mpi
