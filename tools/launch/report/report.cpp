// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/report/report.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "api/functions.hpp"
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

/// " for rank 2, tag 7, on MPI_COMM_WORLD", as far as it is known.
std::string awaited_text(const observe::Awaited& awaited, std::uint32_t ranks) {
  std::string text;
  if (!awaited.peer.is_none()) {
    text += awaited.peer.index() < ranks ? formatted(" for rank {}", awaited.peer.value) : " for a rank of another job";
  }
  if (awaited.tag >= 0 && awaited.as != observe::AwaitedAs::kCollective) text += formatted(", tag {}", awaited.tag);
  if (awaited.context_id == 0) {
    text += ", on MPI_COMM_WORLD";
  } else if (awaited.context_id != observe::Awaited::kNoContext) {
    text += formatted(", on the communicator of context {}", awaited.context_id);
  }
  return text;
}

/// The first of what a rank waits for.
observe::Awaited first_awaited(const memory::RankBlock& page) {
  const std::optional<observe::WaitSample> sample = page.wait.read();
  return sample && !sample->wait.awaited().empty() ? sample->wait.awaited().front() : observe::Awaited();
}

/// Empty for a rank that has not begun with MPI or has finished with it.
std::string what_it_does(const memory::RankBlock& page, std::uint32_t ranks, std::int64_t now_ns) {
  if (page.state.load(std::memory_order_relaxed) != memory::RankState::kInitialized) return {};
  const observe::StatusCard& card = page.card;
  const auto call = card.call.load(std::memory_order_relaxed);
  const std::int64_t since_ns = card.since_ns.load(std::memory_order_relaxed);
  const char* const name =
      call != 0 && call < mpi::kFunctionCount ? mpi::function_name(static_cast<mpi::Function>(call)) : "MPI";
  if (since_ns != 0) {
    return formatted("has waited {:.1f} s in {}{}", static_cast<double>(now_ns - since_ns) / 1e9, name,
                     awaited_text(first_awaited(page), ranks));
  }
  return call != 0 ? formatted("is in {} and does not wait", name) : "is outside MPI";
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

std::vector<RankWait> waits_of(const memory::JobSegment& segment, std::int64_t now_ns) {
  std::vector<RankWait> waits;
  for (std::uint32_t rank = 0; rank < segment.ranks(); ++rank) {
    const memory::RankBlock& page = segment.rank(LocalRank(rank));
    std::string doing = what_it_does(page, segment.header().geometry.world_ranks, now_ns);
    if (!doing.empty()) waits.push_back({page.home_rank, std::move(doing)});
  }
  return waits;
}

std::string describe_waits(std::vector<RankWait> waits) {
  std::ranges::sort(waits, {}, &RankWait::rank);
  std::string text;
  for (const RankWait& wait : waits) text += formatted("  rank {} {}\n", wait.rank.value, wait.doing);
  return text;
}

}  // namespace starling::launch
