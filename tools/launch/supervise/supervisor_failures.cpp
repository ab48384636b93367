// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How the supervisor sees a rank fail, what it tells, and how it ends the others.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/format.hpp"
#include "base/futex.hpp"
#include "launch/events/descendants.hpp"
#include "launch/report/last_calls.hpp"
#include "launch/supervise/supervisor.hpp"
#include "memory/losses.hpp"

namespace starling::launch {

using memory::CrashRecord;
using memory::RankState;

namespace {

/// Whatever a damaged record holds, not more than its room.
std::string text_of(const CrashRecord& record) {
  return std::string(record.what, strnlen(record.what, sizeof record.what));
}

FailureReport last_calls(const memory::JobSegment& segment, std::uint32_t failed, const JobSpec& spec) {
  return spec.quiet ? FailureReport() : describe_last_calls(segment, LocalRank(failed));
}

bool end_is_wished(const std::set<int>& signals) {
  return std::any_of(signals.begin(), signals.end(), [](int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
  });
}

}  // namespace

bool Supervisor::segment_is_whole() {
  if (ending_) return true;
  const Status whole = segment_->check_guards();
  if (whole.ok()) return true;
  // Whoever waits in it may wait for ever, and which rank it was nobody can say.
  end_job(EXIT_FAILURE, whole.message());
  reports_.report({end_of_job_words(job_.host, whole.message()), {}});
  return false;
}

void Supervisor::on_segment() {
  if (!segment_is_whole()) return;
  look_for_abort();
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    look_for_crash(rank);
    look_for_wrapped_process(rank);
  }
  if (ending_) return;  // perhaps because the segment is damaged
  losses_of(*segment_).take([this](WorldRank rank, memory::Losses::How how) { reports_.lost(rank, how); });
}

void Supervisor::look_for_abort() {
  memory::JobHeader& header = segment_->header();
  const std::int32_t rank = header.abort_rank.load(std::memory_order_acquire);
  if (ending_ || rank < 0 || static_cast<std::size_t>(rank) >= ranks_.size()) return;
  const CrashRecord& record = segment_->rank(LocalRank(rank)).crash;
  if (record.state.load(std::memory_order_acquire) == CrashRecord::kNone) return;
  Failure failure = failure_of(static_cast<std::uint32_t>(rank), FailureKind::kAbort,
                               header.abort_code.load(std::memory_order_relaxed));
  failure.what = text_of(record);
  fail(static_cast<std::uint32_t>(rank), failure);
}

void Supervisor::look_for_crash(std::uint32_t rank) {
  const CrashRecord& record = segment_->rank(LocalRank(rank)).crash;
  if (ranks_[rank].crashing || record.state.load(std::memory_order_acquire) != CrashRecord::kWritten) return;
  if (record.signal == 0) return;  // an abort, which does not wait
  if (ending_) return release_crash(rank);
  if (job_.goes_on()) {
    ranks_[rank].crashing = true;
    return release_crash(rank);
  }
  Failure failure = failure_of(rank, FailureKind::kSignal, record.signal);
  if (record.has_fault_address != 0) failure.address = record.fault_address;
  failure.what = text_of(record);
  ranks_[rank].crashing = true;
  fail_with_stack(rank, failure);
}

/// The MPI process of a rank may be a grandchild of ours, behind a script that outlives it.
void Supervisor::look_for_wrapped_process(std::uint32_t rank) {
  const pid_t process = segment_->rank(LocalRank(rank)).pid.load(std::memory_order_acquire);
  if (process == 0 || process == ranks_[rank].process || ranks_[rank].watch || !ranks_[rank].alive) return;
  ranks_[rank].watch = std::make_unique<ProcessWatch>(loop_);
  ranks_[rank].watch->start(process, [this, rank] {
    // The script usually ends next and knows the exit status.
    constexpr std::int64_t kScriptNs = 300'000'000;
    loop_.after(kScriptNs, [this, rank] { wrapped_process_ended(rank); });
  });
}

void Supervisor::wrapped_process_ended(std::uint32_t rank) {
  const RankState state = segment_->rank(LocalRank(rank)).state.load(std::memory_order_acquire);
  if (ending_ || !ranks_[rank].alive || state == RankState::kFinalized) return;
  if (job_.goes_on()) return mark_dead(rank);  // how it ended the script may tell
  fail(rank, failure_of(rank, FailureKind::kLost, 0));
}

void Supervisor::judge(std::uint32_t rank, int status) {
  const RankState state = segment_->rank(LocalRank(rank)).state.load(std::memory_order_acquire);
  ranks_[rank].alive = false;
  mark_dead(rank);
  if (ending_) return;
  if (!WIFSIGNALED(status)) {
    judge_exit(rank, WEXITSTATUS(status), state);
  } else if (passed_signals_.contains(WTERMSIG(status))) {
    end_job(128 + WTERMSIG(status), {});  // what the user wanted
  } else {
    Failure failure = failure_of(rank, FailureKind::kSignal, WTERMSIG(status));
    if (!job_.goes_on()) return fail(rank, failure);
    failure.what = text_of(segment_->rank(LocalRank(rank)).crash);
    lose(failure);
  }
}

/// A death that the others go on after.
void Supervisor::lose(const Failure& failure) {
  if (!first_loss_) first_loss_ = failure;
  if (spec_.quiet) return;
  Failure told = failure;
  told.job_goes_on = true;
  reports_.say(describe(told, ""));
}

void Supervisor::judge_exit(std::uint32_t rank, int code, RankState state) {
  if (state == RankState::kFinalized) {
    somebody_finished_ = true;
    if (exit_code_ == 0) exit_code_ = code;
  } else if (job_.goes_on() && (code != 0 || state == RankState::kInitialized)) {
    lose(failure_of(rank, code != 0 ? FailureKind::kExitStatus : FailureKind::kNoFinalize, code));
  } else if (code != 0) {
    fail(rank, failure_of(rank, FailureKind::kExitStatus, code));
  } else if (state == RankState::kInitialized) {
    fail(rank, failure_of(rank, FailureKind::kNoFinalize, 0));
  } else if (!note_early_leaver(job_.world_rank(rank), ranks_[rank].program)) {
    reports_.left_early(job_.world_rank(rank), ranks_[rank].program);
  }
}

/// A program without MPI among others with it is allowed, but a rank that waits for it waits for ever.
bool Supervisor::note_early_leaver(WorldRank rank, const std::string& program) {
  if (noted_early_leaver_ || spec_.quiet) return true;
  for (std::uint32_t other = 0; other < ranks_.size(); ++other) {
    if (segment_->rank(LocalRank(other)).state.load(std::memory_order_acquire) != RankState::kInitialized) continue;
    noted_early_leaver_ = true;
    reports_.say(
        formatted("starling: note: rank {} ({}) has ended without MPI_Init; a rank that waits for it waits for ever.\n",
                  rank.value, program));
    return true;
  }
  return false;
}

void Supervisor::mark_dead(std::uint32_t rank) {
  // In a job that goes on, a rank that has left is gone as well for those who are still on their way out.
  const RankState state = segment_->rank(LocalRank(rank)).state.load(std::memory_order_acquire);
  if (state == RankState::kFinalized && !job_.goes_on()) return;
  memory::publish_death(*segment_, LocalRank(rank));
  reports_.died(job_.world_rank(rank));
}

Failure Supervisor::failure_of(std::uint32_t rank, FailureKind kind, int number) const {
  Failure failure;
  failure.kind = kind;
  failure.rank = job_.world_rank(rank);
  const pid_t process = segment_->rank(LocalRank(rank)).pid.load(std::memory_order_relaxed);
  failure.process = process != 0 ? process : ranks_[rank].process;
  failure.host = job_.host;
  failure.program = ranks_[rank].program;
  failure.number = number;
  failure.initialized = process != 0;
  return failure;
}

void Supervisor::fail(std::uint32_t rank, const Failure& failure) {
  failure_ = failure;
  const std::string text = describe(failure, "");
  // Before the others are ended, which would change it.
  FailureReport report = last_calls(*segment_, rank, spec_);
  end_job(exit_status(failure), text);
  report.lines.insert(0, text);
  if (!end_is_wished(passed_signals_)) reports_.report(report);
}

void Supervisor::fail_with_stack(std::uint32_t rank, const Failure& failure) {
  failure_ = failure;
  // Before the others are ended, which would change it.
  const FailureReport calls = last_calls(*segment_, rank, spec_);
  end_job(exit_status(failure), describe(failure, ""));
  const CrashRecord& record = segment_->rank(LocalRank(rank)).crash;
  const std::size_t count = std::min(record.frame_count, CrashRecord::kMaxFrames);
  symbolizer_.start(failure.process, {record.frames, count}, [this, rank, calls](const std::string& stack) {
    reports_.report({describe(*failure_, stack) + calls.lines, calls.others});
    ranks_[rank].crashing = false;
    stop_if_over();
  });
  release_crash(rank);
}

void Supervisor::end_job(int exit_code, const std::string& reason) {
  reports_.ends(exit_code, reason);
  end(exit_code);
}

void Supervisor::end(int exit_code) {
  ending_ = true;
  exit_code_ = exit_code;
  send_to_all(SIGTERM);
  send_to_all(SIGCONT);  // a stopped rank ends too
  kill_after(job_.grace_ms * 1'000'000);
}

void Supervisor::kill_after(std::int64_t ns) {
  loop_.after(ns, [this, ns] {
    constexpr std::int64_t kAgainNs = 100'000'000;  // they need processor time to end, even without a grace time
    send_to_all(SIGKILL);
    kill_after(std::max(ns, kAgainNs));
  });
}

void Supervisor::release_crash(std::uint32_t rank) {
  CrashRecord& record = segment_->rank(LocalRank(rank)).crash;
  record.state.store(CrashRecord::kSeen, std::memory_order_release);
  futex_wake(record.state, std::numeric_limits<int>::max());
}

}  // namespace starling::launch
