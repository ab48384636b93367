// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/supervise/local_job.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "launch/watch/hang_words.hpp"
#include "launch/watch/job_looks.hpp"
#include "observe/job/job_reader.hpp"

namespace starling::launch {
namespace {

bool has_terminal() { return Descriptor(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).valid(); }

NodeJob with_input(NodeJob job, GuardianChannel& guardian, EventLogFile& log) {
  job.event_log = &log;
  job.answers = guardian.typed().valid();
  job.input = job.answers ? guardian.typed().get() : STDIN_FILENO;
  job.is_lone = job.ranks() == 1;
  job.lone_group = job.is_lone && has_terminal() ? guardian.group() : 0;
  return job;
}

}  // namespace

LocalJob::LocalJob(const JobSpec& spec, NodeJob job, GuardianChannel& guardian, const Inherited& inherited,
                   Origin* origin)
    : spec_(spec),
      guardian_(guardian),
      origin_(origin),
      goes_on_(job.on_death == OnDeath::kGoOn),
      streams_(loop_, spec.output, [this](int error) { on_broken_output(error); }),
      watch_settings_(job.watch),
      supervisor_(loop_, spec, with_input(std::move(job), guardian, trace_.log()), inherited, *this) {}

int LocalJob::run() {
  serve();
  if (!begin_files() || !begin_trace()) return EXIT_FAILURE;
  const bool started = supervisor_.start();
  guardian_.typed().reset();  // rank 0 alone reads it: when it is gone, so is the pipe
  bool waited = true;
  if (started && !loop_.run()) {
    say(end_of_job_words({}, formatted("the launcher cannot wait for anything: {}", std::strerror(errno))));
    waited = false;
  }
  if (started) {
    if (const std::string note = supervisor_.note_on_foreign_mpi(); !note.empty()) say(note);
    supervisor_.clear_away();
  }
  if (trace_.is_wanted()) {
    if (const std::string lines = trace_.finish(spec_.quiet); !lines.empty()) say(lines);
  }
  streams_.drain();
  if (origin_) origin_->job_is_over();
  const int exit_code = waited ? supervisor_.outcome().exit_code : EXIT_FAILURE;
  return output_lost_ && exit_code == 0 ? EXIT_FAILURE : exit_code;
}

bool LocalJob::begin_files() {
  const Status begun = streams_.begin(spec_.ranks());
  if (begun.ok()) return true;
  say(formatted("mpiexec: {}\n", begun.message()));
  streams_.drain();
  return false;
}

bool LocalJob::begin_trace() {
  if (!spec_.trace.wanted()) return true;
  const Status begun = trace_.begin(spec_.trace, {spec_.ranks()});
  if (begun.ok()) return true;
  say(end_of_job_words({}, begun.message()));
  streams_.drain();
  return false;
}

void LocalJob::serve() {
  guardian_.serve(loop_, [this](const PassedSignal& signal) { supervisor_.pass_on(signal); });
  if (origin_ && !goes_on_) {
    // Nobody is left who could be told; the job that it is part of is dead.
    origin_->watch(loop_, [this] { supervisor_.end(128 + SIGKILL); });
  }
  if (spec_.timeout_s) loop_.after(static_cast<std::int64_t>(*spec_.timeout_s * 1e9), [this] { on_timeout(); });
}

void LocalJob::say(const std::string& lines) { streams_.say(lines); }

void LocalJob::ends(int, const std::string& reason) {
  if (origin_ == nullptr || reason.empty()) return;
  origin_waits_ = !origin_->job_has_come();
  origin_->report(reason);
}

void LocalJob::report(const FailureReport& report) {
  if (!origin_waits_) say(report.text());
}

void LocalJob::looked(const NodeScan& scan) {
  if (!watch_) begin_watch();
  watch_->take(scan, now_ns());
}

void LocalJob::begin_watch() {
  const auto reader = std::make_shared<observe::JobReader>(*supervisor_.view().segment, supervisor_.view().worker);
  watch_.emplace(watch_settings_,
                 HangWatch::Ways{[reader] { return reader->glance(); }, ask_here(loop_, supervisor_.view()),
                                 [this](const std::string& lines) {
                                   if (!supervisor_.is_ending()) say(lines);
                                 },
                                 [this](const std::string& lines) { end_deadlock(lines); }});
}

void LocalJob::end_deadlock(const std::string& lines) {
  if (supervisor_.is_ending()) return;
  ends(kExitDeadlock, lines);
  report({lines, {}});
  supervisor_.end(kExitDeadlock);
}

void LocalJob::on_timeout() {
  if (supervisor_.is_ending()) return;
  explain_job(ask_here(loop_, supervisor_.view()), [this](const std::string& state) {
    if (supervisor_.is_ending()) return;
    say(timeout_words(*spec_.timeout_s, state));
    supervisor_.end(kExitTimeout);
  });
}

/// Like any program whose reader has gone: quietly, with the status of SIGPIPE. A full disk ends no computation.
void LocalJob::on_broken_output(int error) {
  if (error == EPIPE) {
    if (!supervisor_.is_ending()) supervisor_.end(128 + SIGPIPE);
    return;
  }
  output_lost_ = true;
  say(describe_lost_output(error));
}

}  // namespace starling::launch
