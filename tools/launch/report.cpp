// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report.hpp"

#include <fmt/format.h>

#include "bootstrap/last_words.hpp"

namespace starling::launch {
namespace {

std::string what_happened(const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::kSignal: {
      std::string text = fmt::format("died of {}", bootstrap::signal_name(failure.number));
      if (text.ends_with(" signal")) text += fmt::format(" {}", failure.number);
      if (failure.address) text += fmt::format(" at address {:#x}", *failure.address);
      return text;
    }
    case FailureKind::kExitStatus:
      return fmt::format("ended with exit status {}{}", failure.number,
                         failure.initialized ? " and without MPI_Finalize" : "");
    case FailureKind::kNoFinalize:
      return "ended with exit status 0 but without MPI_Finalize (call it on every way out of the program, or "
             "MPI_Abort)";
    case FailureKind::kAbort: return fmt::format("ended the job with code {}", failure.number);
    case FailureKind::kLost: return "vanished without MPI_Finalize, below the program that mpiexec started for it";
  }
  return {};
}

}  // namespace

int exit_status(const Failure& failure) noexcept {
  switch (failure.kind) {
    case FailureKind::kSignal: return 128 + failure.number;
    case FailureKind::kExitStatus: return failure.number;
    case FailureKind::kNoFinalize:
    case FailureKind::kLost: return 1;
    case FailureKind::kAbort:
      // A status has eight bits; a code that would read as success in them is still a failure.
      return failure.number != 0 && (failure.number & 0xff) == 0 ? 1 : failure.number & 0xff;
  }
  return 1;
}

std::string describe(const Failure& failure, const std::string& stack) {
  std::string text =
      fmt::format("starling: rank {} ({}, process {}) {}{}\n", failure.rank, failure.program, failure.process,
                  what_happened(failure), failure.kind == FailureKind::kAbort ? "" : "; the job ends.");
  if (!failure.what.empty()) {
    const char* origin = failure.kind == FailureKind::kAbort ? "" : "exception ";
    text += fmt::format("  {}{}\n", origin, failure.what);
  }
  if (!stack.empty()) text += "  stack of rank " + std::to_string(failure.rank) + ", innermost first:\n" + stack;
  return text;
}

std::string describe_waits(const memory::JobSegment& segment, std::int64_t now_ns) {
  std::string text;
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    const observe::StatusCard& card = segment.rank(rank).card;
    const std::int64_t since = card.since_ns.load(std::memory_order_relaxed);
    if (since == 0) continue;
    const std::int32_t peer = card.peer.load(std::memory_order_relaxed);
    text += fmt::format("  rank {} has waited {:.1f} s", rank, static_cast<double>(now_ns - since) / 1e9);
    text += peer >= 0 ? fmt::format(" for rank {}\n", peer) : "\n";
  }
  return text;
}

}  // namespace starling::launch
