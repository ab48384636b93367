// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Status and Result<T>: how every component below mpi/ reports failure.
//
// A Status is one pointer: null means success, so the fast path pays one test. A failure carries the MPI error class
// that the C boundary will return and a message that says what happened, why, and what to do.
// Thread safety: a value type, no shared state.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace starling {

/// The MPI error classes that the engine itself raises, at their ABI values (MPI-5.0, 20.2).
enum class ErrorClass : int {
  kSuccess = 0,
  kBuffer = 1,
  kCount = 2,
  kType = 3,
  kTag = 4,
  kComm = 5,
  kRank = 6,
  kRequest = 7,
  kRoot = 8,
  kGroup = 9,
  kOp = 10,
  kTopology = 11,
  kDims = 12,
  kArg = 13,
  kUnknown = 14,
  kTruncate = 15,
  kOther = 16,
  kIntern = 17,
  kPending = 18,
  kInStatus = 19,
  kAccess = 20,
  kAmode = 21,
  kAssert = 22,
  kBadFile = 23,
  kBase = 24,
  kConversion = 25,
  kDisp = 26,
  kDupDatarep = 27,
  kFileExists = 28,
  kFileInUse = 29,
  kInfoKey = 31,
  kInfoNoKey = 32,
  kInfoValue = 33,
  kInfo = 34,
  kIo = 35,
  kKeyval = 36,
  kLockType = 37,
  kName = 38,
  kNoMem = 39,
  kNotSame = 40,
  kNoSpace = 41,
  kNoSuchFile = 42,
  kPort = 43,
  kQuota = 44,
  kReadOnly = 45,
  kRmaAttach = 46,
  kRmaRange = 48,
  kRmaShared = 49,
  kRmaSync = 50,
  kService = 51,
  kSize = 52,
  kSpawn = 53,
  kUnsupportedDatarep = 54,
  kUnsupportedOperation = 55,
  kWin = 56,
  kRmaFlavor = 57,
  kProcAborted = 58,
  kValueTooLarge = 59,
  kSession = 60,
  kErrhandler = 61,
  // Extensions (mpi-ext.h), in the part of the range that the standard leaves free.
  kProcFailed = 1101,
  kProcFailedPending = 1102,
  kRevoked = 1103,
};

/// Whether a failure is about processes that have died, or about a communicator that was revoked for them.
[[nodiscard]] constexpr bool is_about_deaths(ErrorClass error_class) noexcept {
  return error_class == ErrorClass::kProcFailed || error_class == ErrorClass::kProcFailedPending ||
         error_class == ErrorClass::kRevoked;
}

class [[nodiscard]] Status {
 public:
  Status() noexcept = default;

  static Status error(ErrorClass error_class, std::string message) {
    Status status;
    status.failure_ = std::make_unique<Failure>(Failure{error_class, std::move(message)});
    return status;
  }

  /// The same once more.
  [[nodiscard]] Status copy() const { return ok() ? Status() : error(error_class(), message()); }

  [[nodiscard]] bool ok() const noexcept { return failure_ == nullptr; }
  [[nodiscard]] ErrorClass error_class() const noexcept {
    return failure_ ? failure_->error_class : ErrorClass::kSuccess;
  }
  [[nodiscard]] const std::string& message() const noexcept {
    static const std::string none;
    return failure_ ? failure_->message : none;
  }

 private:
  struct Failure {
    ErrorClass error_class;
    std::string message;
  };
  std::unique_ptr<Failure> failure_;
};

/// A value, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Status failure) : status_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const noexcept { return value_.has_value(); }
  [[nodiscard]] T& value() & { return *value_; }
  [[nodiscard]] const T& value() const& { return *value_; }
  [[nodiscard]] T&& value() && { return std::move(*value_); }
  [[nodiscard]] const Status& status() const& { return status_; }
  [[nodiscard]] Status&& status() && { return std::move(status_); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace starling

/// Returns from the enclosing function when the expression is a failed Status.
#define STARLING_TRY(expression)                                                      \
  do {                                                                                \
    if (::starling::Status starling_status_ = (expression); !starling_status_.ok()) { \
      return starling_status_;                                                        \
    }                                                                                 \
  } while (false)
