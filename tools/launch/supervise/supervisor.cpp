// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The life of a job, from its segment to the last byte of output. How it fails is in supervisor_failures.cpp.
#include "launch/supervise/supervisor.hpp"

#include <fcntl.h>
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
#include "launch/start/limits.hpp"
#include "topology/hwloc/machine_cores.hpp"

namespace starling::launch {
namespace {

using bootstrap::Descriptor;
using memory::JobSegment;

sigset_t child_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

void empty(int descriptor) {
  char bytes[64];
  while (read(descriptor, bytes, sizeof bytes) > 0) {
  }
}

}  // namespace

Supervisor::Supervisor(const JobSpec& spec, std::vector<std::string> programs, const Settings& settings,
                       GuardianChannel& guardian, const Inherited& inherited, Origin* origin)
    : spec_(spec),
      programs_(std::move(programs)),
      settings_(settings),
      guardian_(guardian),
      inherited_(inherited),
      origin_(origin),
      direct_(spec.ranks() == 1),
      output_(loop_, STDOUT_FILENO, [this](int error) { on_broken_output(error); }),
      errors_(loop_, STDERR_FILENO, [](int) {}),
      symbolizer_(loop_, inherited),
      child_signals_(loop_, [this](const SignalEvent&) { on_children(); }) {}

int Supervisor::run() {
  if (!prepare()) return EXIT_FAILURE;
  watch();
  start_ranks();
  stop_if_over();
  if (!loop_.run()) {
    say(std::string("starling: the launcher cannot wait for anything: ") + std::strerror(errno) + "; the job ends.\n");
    exit_code_ = EXIT_FAILURE;
  }
  if (!direct_ && !spec_.quiet && !ranks_.empty() && !somebody_has_joined()) {
    const std::string note = foreign_mpi_.note(spec_, programs_, ranks_[0].program);
    if (!note.empty()) say(note);
  }
  clear_away();
  if (origin_) origin_->job_is_over();
  return output_lost_ && exit_code_ == 0 ? EXIT_FAILURE : exit_code_;
}

bool Supervisor::prepare() {
  Result<std::unique_ptr<JobSegment>> segment = JobSegment::create(settings_.geometry);
  if (!segment.ok()) return say("starling: " + segment.status().message() + "\n"), false;
  segment_ = std::move(segment).value();
  if (!direct_) {
    const std::string too_few = allow_files_for(spec_.ranks());
    if (!too_few.empty()) return say("starling: " + too_few + ".\n"), false;
  }
  bootstrap::describe_machine(segment_->header());
  segment_->header().launcher_pid = getpid();
  segment_->header().survives = goes_on() ? 1 : 0;
  int ends[2] = {-1, -1};
  const bool paired = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0;
  event_ = Descriptor(ends[0]);
  ranks_event_ = Descriptor(ends[1]);
  if (paired) nothing_ = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (paired && nothing_.valid()) return true;
  return say("starling: the launcher lacks a descriptor: " + explain_error(errno) + "\n"), false;
}

void Supervisor::watch() {
  loop_.on_readable(guardian_.descriptor(), [this] { on_guardian(); });
  loop_.on_readable(event_.get(), [this] {
    empty(event_.get());
    on_segment();
  });
  child_signals_.start(child_signals());
  look_after_segment();
  if (origin_ && !goes_on()) {
    // Nobody is left who could be told; the job that it is part of is dead.
    origin_->watch(loop_, [this] { end(128 + SIGKILL); });
  }
  if (spec_.timeout_s) loop_.after(static_cast<std::int64_t>(*spec_.timeout_s * 1e9), [this] { on_timeout(); });
}

topology::BindingPlan Supervisor::plan_places() {
  const CoreLimits limits = core_limits();
  if (!topology::may_bind(spec_.ranks(), spec_.binding, limits)) return {};
  Result<std::vector<topology::Core>> cores = topology::machine_cores();
  if (cores.ok()) return topology::place_ranks(spec_.ranks(), spec_.binding, cores.value());
  if (!spec_.quiet) say("starling: note: ranks are not bound to cores: " + cores.status().message() + "\n");
  return {};
}

int Supervisor::input_of_rank_zero() const {
  return guardian_.typed().valid() ? guardian_.typed().get() : STDIN_FILENO;
}

bool Supervisor::start_ranks() {
  const JobResources resources{segment_.get(), ranks_event_.get(), input_of_rank_zero(),
                               nothing_.get(), inherited_,         direct_ ? guardian_.group() : 0};
  Starter starter(spec_, programs_, plan_places(), resources);
  for (const Application& application : spec_.applications) {
    for (std::uint32_t i = 0; i < application.ranks; ++i) {
      StartedRank started;
      if (!starter.start_next(&started)) {
        if (origin_) origin_->report(starter.failure().problem);
        if (!origin_) say("starling: " + starter.failure().problem + "\n");
        end(starter.failure().exit_code);
        return false;
      }
      if (started.unbound != 0 && ranks_.empty() && !spec_.quiet) {
        say("starling: note: ranks are not bound to cores: " + explain_error(started.unbound) + ".\n");
      }
      adopt(std::move(started));
      ranks_.back().program = application.command[0];
    }
  }
  guardian_.typed().reset();  // rank 0 alone reads it: when it is gone, so is the pipe
  return true;
}

void Supervisor::adopt(StartedRank started) {
  Rank rank;
  rank.process = started.process;
  rank.alive = true;
  const std::string label = spec_.label_lines ? formatted("[{}] ", ranks_.size()) : std::string();
  const bool answers = ranks_.empty() && guardian_.typed().valid();
  const auto prompts = answers ? LineStream::Prompts::kYes : LineStream::Prompts::kNo;
  if (started.output.valid()) {
    rank.output = std::make_unique<LineStream>(loop_, std::move(started.output), output_, label, prompts);
  }
  if (started.errors.valid()) {
    rank.errors = std::make_unique<LineStream>(loop_, std::move(started.errors), errors_, label, prompts);
  }
  ranks_.push_back(std::move(rank));
}

void Supervisor::on_guardian() {
  const std::optional<PassedSignal> passed = guardian_.receive();
  if (!passed) {  // the guardian was killed: so is the job
    kill_descendants();
    _exit(128 + SIGKILL);
  }
  passed_signals_.insert(passed->signal);
  // A lone rank is in the terminal's foreground group with us and has heard the terminal itself.
  if (direct_ && passed->from_terminal) return;
  send_to_all(passed->signal);
  for (const pid_t launcher : spawned_launchers()) kill(launcher, passed->signal);
}

void Supervisor::on_children() {
  on_segment();  // last words come before the death that they explain
  int status = 0;
  pid_t process = 0;
  while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].alive && ranks_[rank].process == process) judge(rank, status);
    }
  }
  stop_if_over();
}

void Supervisor::on_timeout() {
  if (ending_) return;
  say(formatted("starling: the job has run for its --timeout of {} s; it ends.\n", *spec_.timeout_s) +
      describe_waits(*segment_, now_ns()));
  end(kExitTimeout);
}

/// Like any program whose reader has gone: quietly, with the status of SIGPIPE. A full disk ends no computation.
void Supervisor::on_broken_output(int error) {
  if (error == EPIPE) {
    if (!ending_) end(128 + SIGPIPE);
    return;
  }
  output_lost_ = true;
  say(
      formatted("starling: standard output cannot be written: {}. What the ranks print there from here on is lost; the "
                "job goes on, and a status of 0 becomes {}.\n",
                std::strerror(error), EXIT_FAILURE));
}

void Supervisor::look_after_segment() {
  constexpr std::int64_t kPauseNs = 1'000'000'000;
  if (!direct_ && !ranks_.empty() && ranks_[0].alive && !somebody_has_joined()) foreign_mpi_.look_at(ranks_[0].process);
  if (segment_is_whole()) loop_.after(kPauseNs, [this] { look_after_segment(); });
}

bool Supervisor::somebody_has_joined() const {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    if (segment_->rank(LocalRank(rank)).pid.load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

void Supervisor::send(std::uint32_t rank, int signal) const {
  if (ranks_[rank].alive) kill(direct_ ? ranks_[rank].process : -ranks_[rank].process, signal);
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
  if (symbolizer_.running()) return;
  if (!ending_ && first_loss_ && !somebody_finished_) exit_code_ = exit_status(*first_loss_);
  // The jobs that ours has spawned run on; their launchers are our children, whose end brings us back here.
  if (!ending_ && !spawned_launchers().empty()) return;
  loop_.stop();
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
    const std::int64_t deadline = now_ns() + settings_.grace_ms * 1'000'000;
    while (!reap_children() && now_ns() < deadline) {
      const timespec pause{0, 2'000'000};
      nanosleep(&pause, nullptr);
    }
    kill_descendants();
  }
  for (Rank& rank : ranks_) {
    if (rank.output) rank.output->finish();
    if (rank.errors) rank.errors->finish();
  }
  output_.drain();
  errors_.drain();
}

void Supervisor::say(const std::string& text) { errors_.put(this, text); }

}  // namespace starling::launch
