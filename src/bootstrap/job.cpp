// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "bootstrap/job.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/format.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/foreign_job.hpp"
#include "bootstrap/foreign_launcher.hpp"
#include "bootstrap/machine.hpp"
#include "bootstrap/pmi/open_exchange.hpp"
#include "tuning/settings.hpp"

namespace starling::bootstrap {
namespace {

STARLING_CONFIG(
    survive, "FT", bool, false, kProcess, kProcess,
    "The job goes on when ranks die, and calls that need a dead rank return errors, as with mpiexec --survive; else "
    "the first death ends the job.");

STARLING_CONFIG(launch_grace_ms, "LAUNCH_GRACE_MS", std::int64_t, 1000, kProcess, kProcess,
                "Milliseconds between asking the ranks of a failed job to end (SIGTERM) and killing them.");

using memory::CrashRecord;
using memory::JobHeader;
using memory::JobSegment;
using memory::RankState;

std::optional<int> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (!text) return std::nullopt;
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error != std::errc() || rest != end || value < 0) return std::nullopt;
  return value;
}

/// The variables of a job that was spawned.
Status read_origin(Job& job) {
  if (const char* errhandler = std::getenv(kErrhandlerVariable)) job.initial_errhandler = errhandler;
  const char* parent = std::getenv(kParentVariable);
  if (parent == nullptr) return {};
  if (const std::string_view text = parent; text.starts_with(kParentDoorPrefix)) {
    job.parent_door = text.substr(std::string_view(kParentDoorPrefix).size());
    return {};
  }
  Result<SegmentAddress> address = SegmentAddress::parse(parent);
  if (!address.ok()) return std::move(address).status();
  job.parent = address.value();
  return {};
}

/// A program that this process starts shall not take itself for the same rank.
void leave_the_environment(WorldRank rank) {
  unsetenv(kSegmentVariable);
  unsetenv(kEventVariable);
  unsetenv(kRankVariable);
  unsetenv(kCardVariable);
  unsetenv(kParentVariable);
  unsetenv(kErrhandlerVariable);
  unsetenv(kTuningVariable);
  forget_exchange();
  const std::string inside = formatted("{} {}", rank.value, getpid());
  setenv(kInsideVariable, inside.c_str(), 1);
}

void close_on_exec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

/// A program that this process starts does not inherit them.
void keep_listeners(const Job& job) {
  for (const int descriptor : job.listeners) close_on_exec(descriptor);
}

Status bad_environment() {
  return Status::error(ErrorClass::kOther,
                       formatted("{}, {} and {} are set, but not as mpiexec sets them. They belong to mpiexec: unset "
                                 "them to run this program alone, or start it with mpiexec.",
                                 kSegmentVariable, kEventVariable, kRankVariable));
}

/// The place of a rank of this node: the card says where all ranks are; without one they are all here.
void take_place(Job& job, LocalRank rank) {
  const JobHeader& header = job.segment->header();
  job.id = job.card ? job.card->job() : header.id;
  job.placement = std::make_shared<const memory::Placement>(
      job.card ? job.card->placement()
               : memory::Placement::one_node(static_cast<std::int32_t>(job.segment->ranks()),
                                             static_cast<std::int32_t>(header.usable_cores)));
  job.local_rank = rank;
  job.rank = job.placement->world_of(rank);
}

/// The card must be that of the job to which the segment belongs.
Status check_card(const JobCardView& card, const JobSegment& segment) {
  const bool fits = card.placement().node(card.own_node()).ranks.size() == segment.ranks() &&
                    card.ranks() == segment.header().geometry.world_ranks;
  if (fits) return {};
  return Status::error(ErrorClass::kOther,
                       formatted("{} and {} belong to different jobs. They belong to mpiexec: unset them to run this "
                                 "program alone, or start it with mpiexec.",
                                 kCardVariable, kSegmentVariable));
}

/// In a job on several nodes. Afterwards the descriptor is closed: the card has the secret of the job.
Status read_card(Job& job, LocalRank rank) {
  if (std::getenv(kCardVariable) == nullptr) return {};
  const int number = number_from(kCardVariable).value_or(-1);
  const Result<JobCardView> card = JobCardView::of_file(number);
  if (!card.ok()) return card.status().copy();
  STARLING_TRY(check_card(card.value(), *job.segment));
  const Descriptor read(number);
  job.card = card.value();
  job.listeners = job.card->listeners_of(rank);
  return {};
}

Result<Job> singleton(const memory::JobGeometry& geometry, std::vector<std::string> warnings) {
  memory::JobGeometry alone = geometry;
  alone.ranks = 1;
  alone.world_ranks = 1;
  Result<std::unique_ptr<JobSegment>> segment = JobSegment::create(alone);
  if (!segment.ok()) return std::move(segment).status();
  Job job;
  job.segment = std::move(segment).value();
  job.warnings = std::move(warnings);
  describe_machine(job.segment->header());
  take_place(job, LocalRank(0));
  job.segment->rank(job.local_rank).pid.store(getpid(), std::memory_order_relaxed);
  return job;
}

std::string inside_warning() {
  const char* inside = std::getenv(kInsideVariable);
  if (!inside) return {};
  const std::string text(inside);
  const std::size_t space = text.find(' ');
  return formatted(
      "this program was started by rank {} of a running job (process {}), so it is a job of its own: rank 0 of 1. To "
      "run "
      "it on several ranks, start it with mpiexec.",
      text.substr(0, space), space == std::string::npos ? "?" : text.substr(space + 1));
}

std::string taken_warning(WorldRank rank, int holder) {
  return formatted(
      "rank {} of this job already belongs to process {}, so this program is a job of its own: rank 0 of 1. mpiexec "
      "probably started a script that runs several MPI programs; give each of them its own mpiexec.",
      rank.value, holder);
}

Result<Job> join_launched(const memory::JobGeometry& singleton_geometry) {
  const std::optional<int> descriptor = number_from(kSegmentVariable);
  const std::optional<int> event = number_from(kEventVariable);
  const std::optional<int> rank = number_from(kRankVariable);
  if (!descriptor || !event || !rank) return bad_environment();

  Result<std::unique_ptr<JobSegment>> segment = JobSegment::attach(*descriptor);
  if (!segment.ok()) return std::move(segment).status();
  Job job;
  job.segment = std::move(segment).value();
  job.launcher_event = memory::KeptFile(*event);
  if (static_cast<std::uint32_t>(*rank) >= job.segment->ranks()) return bad_environment();
  STARLING_TRY(read_card(job, LocalRank(*rank)));
  STARLING_TRY(read_origin(job));
  close_on_exec(*descriptor);
  close_on_exec(*event);
  take_place(job, LocalRank(*rank));
  keep_listeners(job);
  leave_the_environment(job.rank);

  std::int32_t holder = 0;
  auto& pid = job.segment->rank(job.local_rank).pid;
  if (!pid.compare_exchange_strong(holder, getpid(), std::memory_order_acq_rel)) {
    return singleton(singleton_geometry, {taken_warning(job.rank, holder)});
  }
  job.launched = true;
  // Behind a wrapper the launcher's child is not this process: the launcher has to find out which process to watch.
  if (getppid() != job.segment->header().launcher_pid) notify_launcher(job);
  return job;
}

Result<Job> join_foreign(std::unique_ptr<Exchange> exchange, const memory::JobGeometry& geometry,
                         const NetworkHooks& network, const config::Store& config) {
  Result<ForeignJob> joined = join_by_exchange(*exchange, geometry, network, tuning::told_to_others(config));
  if (!joined.ok()) fail_to_join(*exchange, joined.status());
  Job job;
  job.segment = std::move(joined.value().segment);
  job.card = std::move(joined.value().card);
  job.listeners = std::move(joined.value().listeners);
  job.card_file = std::move(joined.value().card_file);
  job.tuning = std::move(joined.value().tuning);
  job.exchange = std::move(exchange);
  take_place(job, joined.value().local_rank);
  keep_listeners(job);
  leave_the_environment(job.rank);
  job.deaths = watch_deaths(*job.exchange, *job.segment, job.placement, job.rank);
  return job;
}

/// Text that the program has printed but not yet written would be lost by _exit.
void flush_standard_output() noexcept {
  if (ftrylockfile(stdout) != 0) return;
  fflush(stdout);
  funlockfile(stdout);
}

/// Without a launcher of ours the rank prints the text itself.
[[noreturn]] void abort_unlaunched(Job& job, int code, std::string_view what) noexcept {
  std::fprintf(stderr, "starling: rank %d of %d (process %d) ended its job with code %d: %.*s\n", job.rank.value,
               job.size(), getpid(), code, static_cast<int>(what.size()), what.data());
  if (job.exchange) end_foreign_job(*job.exchange, code, what);
  _exit(code);
}

void leave_text(CrashRecord& record, std::string_view what) noexcept {
  const std::size_t length = std::min(what.size(), sizeof record.what - 1);
  std::memcpy(record.what, what.data(), length);
  record.what[length] = '\0';
}

}  // namespace

Result<Job> join(const memory::JobGeometry& geometry, const NetworkHooks& network, const config::Store& config) {
  if (std::getenv(kSegmentVariable)) return join_launched(geometry);
  Result<std::unique_ptr<Exchange>> exchange = exchange_of_foreign_launcher(config);
  if (exchange.ok() && exchange.value()) {
    return join_foreign(std::move(exchange).value(), geometry, network, config);
  }
  if (exchange.status().error_class() == ErrorClass::kArg) return exchange.status().copy();  // a wrong setting
  std::vector<std::string> warnings;
  if (std::string inside = inside_warning(); !inside.empty()) {
    warnings.push_back(std::move(inside));
  } else {
    warnings = foreign_launcher_warnings(exchange.status().message());
  }
  return singleton(geometry, std::move(warnings));
}

bool survives_deaths(const config::Store& config) { return config.get(survive); }

std::int64_t grace_ms(const config::Store& config) { return config.get(launch_grace_ms); }

void announce(Job& job, RankState state) noexcept {
  // Release: a reader of the state also sees what the rank wrote before it.
  job.segment->rank(job.local_rank).state.store(state, std::memory_order_release);
}

void take_leave(Job& job) noexcept {
  job.deaths.reset();
  if (const std::unique_ptr<Exchange> exchange = std::move(job.exchange)) exchange->finalize();
}

void notify_launcher(const Job& job) noexcept {
  if (!job.launched) return;
  const char one = 1;
  const bool ours = job.launcher_event.valid() && job.launcher_event.is_ours();
  if (ours && send(job.launcher_event.number(), &one, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) return;
  // The program has closed the socket, or it is full: SIGCHLD wakes the launcher, too.
  const std::int32_t launcher = job.segment->header().launcher_pid;
  if (launcher > 0) kill(launcher, SIGCHLD);
}

void abort(Job& job, int code, std::string_view what) noexcept {
  flush_standard_output();
  JobHeader& header = job.segment->header();
  const bool is_first = is_first_to_end(*job.segment, job.local_rank);
  if (!job.launched && !is_first) leave_to_the_first(code);
  if (!job.launched) abort_unlaunched(job, code, what);
  if (is_first) {
    CrashRecord& record = job.segment->rank(job.local_rank).crash;
    header.abort_code.store(code, std::memory_order_relaxed);
    leave_text(record, what);
    // The launcher believes abort_rank once the record of that rank is written.
    record.state.store(CrashRecord::kWritten, std::memory_order_release);
  }
  notify_launcher(job);
  _exit(code);
}

}  // namespace starling::bootstrap
