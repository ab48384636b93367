// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What the launcher says about a job that failed: the words, and the exit status that goes with them.
// Thread safety: pure functions.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "memory/job_segment.hpp"

namespace starling::launch {

inline constexpr int kExitTimeout = 124;

/// How a rank failed.
enum class FailureKind : std::uint8_t { kSignal, kExitStatus, kNoFinalize, kAbort, kLost };

struct Failure {
  FailureKind kind = FailureKind::kSignal;
  std::uint32_t rank = 0;
  pid_t process = 0;
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

/// One line for each rank that waits inside MPI: for which rank, and since when. Empty when none
/// does.
[[nodiscard]] std::string describe_waits(const memory::JobSegment& segment, std::int64_t now_ns);

}  // namespace starling::launch
