// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the launcher says about a job that failed: the words, and the exit status that goes with them.
// Thread safety: pure functions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/id.hpp"

namespace starling::launch {

inline constexpr int kExitTimeout = 124;

/// How a rank failed.
enum class FailureKind : std::uint8_t { kSignal, kExitStatus, kNoFinalize, kAbort, kLost };

struct Failure {
  FailureKind kind = FailureKind::kSignal;
  WorldRank rank{0};
  pid_t process = 0;
  std::string host;  ///< of the process; empty: this one
  std::string program;
  int number = 0;                        ///< signal, exit status or abort code
  bool initialized = false;              ///< it had called MPI_Init
  bool job_goes_on = false;              ///< ... without it
  std::optional<std::uint64_t> address;  ///< fault address, where the signal tells one
  std::string what;                      ///< text of an exception or of MPI_Abort
};

[[nodiscard]] int exit_status(const Failure& failure) noexcept;

/// The report, whole lines; the stack comes from the symbolizer and may be empty.
[[nodiscard]] std::string describe(const Failure& failure, const std::string& stack);

/// A line of the launcher's own, about a host of the job; empty: this one. The text is one sentence or several, the
/// last with its full stop or without.
[[nodiscard]] std::string launcher_words(const std::string& host, const std::string& text);

/// The same of a reason for which the job ends.
[[nodiscard]] std::string end_of_job_words(const std::string& host, const std::string& reason);

/// That our standard output takes no more, with the errno of the last attempt.
[[nodiscard]] std::string describe_lost_output(int error);

}  // namespace starling::launch
