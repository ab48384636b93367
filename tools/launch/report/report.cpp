// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/report.hpp"

#include <cstdlib>
#include <cstring>

#include "base/format.hpp"
#include "bootstrap/crash/last_words.hpp"

namespace starling::launch {
namespace {

std::string what_happened(const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::kSignal: {
      std::string text = formatted("died of {}", bootstrap::signal_name(failure.number));
      if (text.ends_with(" signal")) text += formatted(" {}", failure.number);
      if (failure.address) text += formatted(" at address {:#x}", *failure.address);
      return text;
    }
    case FailureKind::kExitStatus:
      return formatted("ended with exit status {}{}", failure.number,
                       failure.initialized ? " and without MPI_Finalize" : "");
    case FailureKind::kNoFinalize:
      return "ended with exit status 0 but without MPI_Finalize (call it on every way out of the program, or "
             "MPI_Abort)";
    case FailureKind::kAbort: return formatted("ended the job with code {}", failure.number);
    case FailureKind::kLost: return "vanished without MPI_Finalize, below the program that mpiexec started for it";
  }
  return {};
}

bool ends_sentence(std::string_view text) { return text.ends_with('.') || text.ends_with('?') || text.ends_with('!'); }

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
  const std::string where = failure.host.empty() ? std::string() : " on host " + failure.host;
  std::string text = formatted("starling: rank {} ({}, process {}{}) {}{}\n", failure.rank.value, failure.program,
                               failure.process, where, what_happened(failure),
                               failure.kind == FailureKind::kAbort ? ""
                               : failure.job_goes_on               ? "; the job goes on."
                                                                   : "; the job ends.");
  if (!failure.what.empty()) {
    const char* origin = failure.kind == FailureKind::kAbort ? "" : "exception ";
    text += formatted("  {}{}\n", origin, failure.what);
  }
  if (!stack.empty()) text += formatted("  stack of rank {}, innermost first:\n{}", failure.rank.value, stack);
  return text;
}

std::string launcher_words(const std::string& host, const std::string& text) {
  const std::string about = host.empty() ? std::string() : formatted("host {}: ", host);
  return formatted("starling: {}{}{}\n", about, text, ends_sentence(text) ? "" : ".");
}

std::string end_of_job_words(const std::string& host, const std::string& reason) {
  if (reason.ends_with('.')) return end_of_job_words(host, reason.substr(0, reason.size() - 1));
  return launcher_words(host, reason + (ends_sentence(reason) ? " The job ends." : "; the job ends."));
}

std::string describe_lost_output(int error) {
  return formatted(
      "starling: standard output cannot be written: {}. What the ranks print there from here on is lost; the job goes "
      "on, and a status of 0 becomes {}.\n",
      std::strerror(error), EXIT_FAILURE);
}

}  // namespace starling::launch
