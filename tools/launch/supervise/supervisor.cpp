// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The life of the ranks of a node, from their segment to the last byte of output. How they fail is in
// supervisor_failures.cpp.
#include "launch/supervise/supervisor.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "bootstrap/machine.hpp"
#include "launch/events/descendants.hpp"
#include "launch/report/places.hpp"
#include "launch/start/limits.hpp"
#include "launch/supervise/origin.hpp"
#include "topology/hwloc/machine_cores.hpp"

namespace starling::launch {
namespace {

using memory::JobSegment;

sigset_t child_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

/// Reads what is there, but not for ever: who writes without end shall not hold up what else the loop serves. False:
/// nothing will come any more.
bool empty(int descriptor) {
  constexpr int kMostReads = 16;
  char bytes[4096];
  for (int i = 0; i < kMostReads; ++i) {
    const ssize_t count = read(descriptor, bytes, sizeof bytes);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    if (static_cast<std::size_t>(count) < sizeof bytes) return true;
  }
  return true;
}

}  // namespace

Supervisor::Supervisor(EventLoop& loop, const JobSpec& spec, NodeJob job, const Inherited& inherited,
                       NodeReports& reports)
    : loop_(loop),
      spec_(spec),
      job_(std::move(job)),
      inherited_(inherited),
      reports_(reports),
      symbolizer_(loop_, inherited),
      child_signals_(loop_, [this](const SignalEvent&) { on_children(); }) {}

bool Supervisor::start() {
  if (const Status prepared = prepare(); !prepared.ok()) {
    exit_code_ = EXIT_FAILURE;
    reports_.ends(exit_code_, prepared.message());
    reports_.report({launcher_words(job_.host, prepared.message()), {}});
    return false;
  }
  watch();
  start_ranks();
  stop_if_over();
  return true;
}

Status Supervisor::prepare() {
  Result<std::unique_ptr<JobSegment>> segment = JobSegment::create(job_.geometry);
  if (!segment.ok()) return std::move(segment).status();
  segment_ = std::move(segment).value();
  if (!job_.is_lone) {
    const std::string too_few = allow_files_for(job_.ranks());
    if (!too_few.empty()) return Status::error(ErrorClass::kOther, too_few);
  }
  bootstrap::describe_machine(segment_->header());
  if (job_.usable_cores > 0) segment_->header().usable_cores = job_.usable_cores;
  segment_->header().launcher_pid = getpid();
  if (job_.event_log != nullptr && job_.geometry.trace_events != 0) {
    segment_->header().trace_mode = spec_.trace.all_calls ? observe::TraceMode::kAll : observe::TraceMode::kLong;
    drain_ = std::make_unique<RingDrain>(loop_, *segment_, job_.node, *job_.event_log);
  }
  segment_->header().survives = job_.goes_on() ? 1 : 0;
  int ends[2] = {-1, -1};
  const bool paired = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0;
  event_ = Descriptor(ends[0]);
  ranks_event_ = Descriptor(ends[1]);
  if (paired) nothing_ = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (spec_.no_input) job_.input = nothing_.get();
  if (paired && nothing_.valid()) return {};
  const char* lacking = paired ? "mpiexec cannot open /dev/null" : "mpiexec cannot make a pair of sockets";
  return Status::error(ErrorClass::kOther, formatted("{}: {}", lacking, explain_error(errno)));
}

void Supervisor::watch() {
  loop_.on_readable(event_.get(), [this] {
    // A rank may have shut the socket down. Then it is not waited for: ranks send SIGCHLD, and the segment is looked
    // at.
    if (!empty(event_.get())) loop_.remove(event_.get());
    on_segment();
  });
  child_signals_.start(child_signals());
  look_after_segment();
  if (drain_) drain_->start();
}

topology::BindingPlan Supervisor::plan_places() {
  const CoreLimits limits = core_limits();
  if (!topology::may_bind(job_.ranks(), spec_.binding, limits)) return {};
  Result<std::vector<topology::Core>> cores = topology::machine_cores();
  if (cores.ok()) return topology::place_ranks(job_.ranks(), spec_.binding, cores.value());
  if (!spec_.quiet)
    reports_.say(launcher_words(job_.host, "note: ranks are not bound to cores: " + cores.status().message()));
  return {};
}

void Supervisor::start_ranks() {
  const NodeResources resources{segment_.get(), ranks_event_.get(), nothing_.get(), inherited_};
  topology::BindingPlan places = plan_places();
  if (spec_.show_places) reports_.say(describe_places(spec_, job_, places));
  Starter starter(spec_, job_, std::move(places), resources);
  while (ranks_.size() < job_.ranks()) {
    StartedRank started;
    if (!starter.start_next(&started)) {
      end_job(starter.failure().exit_code, starter.failure().problem);
      return reports_.report({launcher_words(job_.host, starter.failure().problem), {}});
    }
    if (started.unbound != 0 && ranks_.empty() && !spec_.quiet) {
      reports_.say(launcher_words(job_.host, "note: ranks are not bound to cores: " + explain_error(started.unbound)));
    }
    adopt(std::move(started));
  }
}

void Supervisor::adopt(StartedRank started) {
  const std::size_t local = ranks_.size();
  const WorldRank writer = job_.world_rank(local);
  Rank rank;
  rank.process = started.process;
  rank.alive = true;
  rank.program = spec_.applications[static_cast<std::size_t>(job_.members.app_numbers[local])].command[0];
  const bool answers = writer == WorldRank(0) && job_.answers;
  const auto prompts = answers ? LineStream::Prompts::kYes : LineStream::Prompts::kNo;
  if (started.output.valid()) {
    rank.output = std::make_unique<LineStream>(loop_, std::move(started.output), reports_.output(), writer, prompts);
  }
  if (started.errors.valid()) {
    rank.errors = std::make_unique<LineStream>(loop_, std::move(started.errors), reports_.errors(), writer, prompts);
  }
  ranks_.push_back(std::move(rank));
}

void Supervisor::pass_on(const PassedSignal& passed) {
  passed_signals_.insert(passed.signal);
  // A lone rank is in the terminal's foreground group with us and has heard the terminal itself.
  if (job_.lone_group != 0 && passed.from_terminal) return;
  send_to_all(passed.signal);
  for (const pid_t launcher : spawned_launchers()) kill(launcher, passed.signal);
}

void Supervisor::publish_death(WorldRank rank) {
  if (segment_) memory::publish_death(*segment_, rank);
}

void Supervisor::on_children() {
  on_segment();  // last words come before the death that they explain
  int status = 0;
  pid_t process = 0;
  rusage usage{};
  while ((process = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!ranks_[rank].alive || ranks_[rank].process != process) continue;
      if (drain_) drain_->tell_usage(rank, usage);
      judge(rank, status);
    }
  }
  stop_if_over();
}

void Supervisor::look_after_segment() {
  // A deadlock is said within a second, also on a busy machine: it is found at the next look, and proven a moment
  // later.
  constexpr std::int64_t kPauseNs = 450'000'000;
  if (!job_.is_lone && !ranks_.empty() && ranks_[0].alive && !somebody_has_joined())
    foreign_mpi_.look_at(ranks_[0].process);
  if (!segment_is_whole()) return;
  on_segment();  // in case nothing has woken us
  const NodeScan scan = scan_node(*segment_, now_ns(), job_.watch.late_ns());
  if (!ending_) reports_.looked(scan);
  loop_.after(kPauseNs, [this] { look_after_segment(); });
}

bool Supervisor::somebody_has_joined() const {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (segment_->rank(LocalRank(rank)).pid.load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

std::string Supervisor::note_on_foreign_mpi() {
  if (job_.is_lone || spec_.quiet || ranks_.empty() || somebody_has_joined()) return {};
  return foreign_mpi_.note(spec_, job_.programs, ranks_[0].program);
}

void Supervisor::send(std::uint32_t rank, int signal) const {
  if (ranks_[rank].alive) kill(job_.lone_group != 0 ? ranks_[rank].process : -ranks_[rank].process, signal);
}

void Supervisor::send_to_all(int signal) {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].crashing) send(rank, signal);
  }
}

void Supervisor::stop_if_over() {
  for (const Rank& rank : ranks_) {
    if (rank.alive) return;
  }
  if (over_ || symbolizer_.running()) return;
  if (!ending_ && first_loss_ && !somebody_finished_) exit_code_ = exit_status(*first_loss_);
  // The jobs that ours has spawned run on; their launchers are our children, whose end brings us back here.
  if (!ending_ && !spawned_launchers().empty()) return;
  over_ = true;
  reports_.over();
}

/// But launchers of spawned jobs that have been told already: asked twice, they would kill.
void Supervisor::ask_to_end() {
  std::vector<pid_t> told;
  if (!passed_signals_.empty()) told = spawned_launchers();
  for (const pid_t pid : descendants()) {
    if (std::ranges::find(told, pid) == told.end()) kill(pid, SIGTERM);
  }
}

/// What ranks have started and left behind ends too; then nobody writes to the pipes any more.
void Supervisor::clear_away() {
  if (!reap_children()) {
    ask_to_end();
    wait_for_the_end_of_all();
    kill_descendants();
  }
  for (Rank& rank : ranks_) {
    if (rank.output) rank.output->finish();
    if (rank.errors) rank.errors->finish();
  }
  if (drain_) drain_->finish();
}

/// As long as the grace time. The loop goes on: others may wait for our answers.
void Supervisor::wait_for_the_end_of_all() {
  constexpr std::int64_t kPauseNs = 2'000'000;
  const std::int64_t deadline = now_ns() + job_.grace_ms * 1'000'000;
  while (!reap_children() && now_ns() < deadline) {
    loop_.after(kPauseNs, [this] { loop_.stop(); });
    if (!loop_.run()) return;
  }
}

}  // namespace starling::launch
