// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// ErrorOwner: the object whose error handler hears of a failure.
// Thread safety: a value type. Source: MPI-5.0, chapter 9.3.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace starling::mpi {

enum class ErrorOwnerType : std::uint8_t { kNone, kComm, kFile, kSession, kWin, kHandler };

/// The object whose error handler is due. One that is not alive counts as none, and none as MPI_COMM_SELF. kHandler:
/// the caller named the handler itself, for the object that could not be made. Every request keeps one, so it is small.
class ErrorOwner {
 public:
  ErrorOwner() noexcept = default;

  static ErrorOwner none() noexcept { return {}; }
  static ErrorOwner of(MPI_Comm handle) noexcept { return {ErrorOwnerType::kComm, handle}; }
  static ErrorOwner of(MPI_File handle) noexcept { return {ErrorOwnerType::kFile, handle}; }
  static ErrorOwner of(MPI_Session handle) noexcept { return {ErrorOwnerType::kSession, handle}; }
  static ErrorOwner of(MPI_Win handle) noexcept { return {ErrorOwnerType::kWin, handle}; }
  static ErrorOwner of_handler(MPI_Errhandler handler) noexcept { return {ErrorOwnerType::kHandler, handler}; }

  [[nodiscard]] ErrorOwnerType type() const noexcept { return type_; }

  // The handle, or the null handle where the owner is of another type.
  [[nodiscard]] MPI_Comm comm() const noexcept {
    return type_ == ErrorOwnerType::kComm ? as<MPI_Comm>() : MPI_COMM_NULL;
  }
  [[nodiscard]] MPI_File file() const noexcept {
    return type_ == ErrorOwnerType::kFile ? as<MPI_File>() : MPI_FILE_NULL;
  }
  [[nodiscard]] MPI_Session session() const noexcept {
    return type_ == ErrorOwnerType::kSession ? as<MPI_Session>() : MPI_SESSION_NULL;
  }
  [[nodiscard]] MPI_Win win() const noexcept { return type_ == ErrorOwnerType::kWin ? as<MPI_Win>() : MPI_WIN_NULL; }
  [[nodiscard]] MPI_Errhandler handler() const noexcept {
    return type_ == ErrorOwnerType::kHandler ? as<MPI_Errhandler>() : MPI_ERRHANDLER_NULL;
  }

 private:
  ErrorOwner(ErrorOwnerType type, void* handle) noexcept : handle_(handle), type_(type) {}

  template <typename Handle>
  [[nodiscard]] Handle as() const noexcept {
    return static_cast<Handle>(handle_);
  }

  void* handle_ = nullptr;
  ErrorOwnerType type_ = ErrorOwnerType::kNone;
};
static_assert(sizeof(ErrorOwner) == 16);

}  // namespace starling::mpi
