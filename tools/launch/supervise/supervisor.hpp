// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Watches over a running job: passes output, input and signals, and decides when it is over and how it went.
//
// A job fails with its first rank that dies of a signal, aborts, or ends before MPI_Finalize in a way that is no
// success. Then the others get SIGTERM and, after the grace time, SIGKILL. A rank that ends badly after MPI_Finalize
// only marks the exit status.
//
// Thread safety: for single-threaded processes; everything runs in the event loop.
// Invariants: failure_ is set once and ending_ never falls back to false.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launch/events/event_loop.hpp"
#include "launch/events/process_watch.hpp"
#include "launch/events/signal_source.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/report/foreign_mpi.hpp"
#include "launch/report/output.hpp"
#include "launch/report/report.hpp"
#include "launch/report/symbolizer.hpp"
#include "launch/start/starter.hpp"
#include "launch/supervise/guardian.hpp"
#include "launch/supervise/origin.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

/// What the death of a rank means for the others.
enum class OnDeath : std::uint8_t { kEndJob, kGoOn };

struct Settings {
  OnDeath on_death = OnDeath::kEndJob;
  std::int64_t grace_ms = 1000;  ///< between SIGTERM and SIGKILL
  memory::JobGeometry geometry;
};

class Supervisor {
 public:
  /// origin: of a spawned job, else null.
  Supervisor(const JobSpec& spec, std::vector<std::string> programs, const Settings& settings,
             GuardianChannel& guardian, const Inherited& inherited, Origin* origin);

  /// Runs the job to its end; returns the exit status of the launcher. Nothing of the job is left then.
  int run();

 private:
  struct Rank {
    pid_t process = -1;
    bool alive = false;
    bool crashing = false;  ///< about to die of its own signal: no other shall come before
    std::string program;
    std::unique_ptr<ProcessWatch> watch;  ///< of the MPI process, where that is not our child
    std::unique_ptr<LineStream> output;
    std::unique_ptr<LineStream> errors;
  };

  bool prepare();
  bool start_ranks();
  [[nodiscard]] topology::BindingPlan plan_places();
  [[nodiscard]] int input_of_rank_zero() const;
  void adopt(StartedRank started);
  void watch();

  void on_guardian();
  void on_children();
  void on_segment();
  void on_timeout();
  void on_broken_output(int error);
  /// Looks at the guard words of the segment; false: they are damaged, and the job ends.
  bool segment_is_whole();
  void look_after_segment();
  [[nodiscard]] bool somebody_has_joined() const;

  void judge(std::uint32_t rank, int status);
  void judge_exit(std::uint32_t rank, int code, memory::RankState state);
  void note_early_leaver(std::uint32_t rank);
  void look_for_abort();
  void look_for_crash(std::uint32_t rank);
  void look_for_wrapped_process(std::uint32_t rank);
  void wrapped_process_ended(std::uint32_t rank);
  void mark_dead(std::uint32_t rank);
  [[nodiscard]] bool goes_on() const noexcept { return settings_.on_death == OnDeath::kGoOn; }
  void lose(const Failure& failure);

  Failure failure_of(std::uint32_t rank, FailureKind kind, int number) const;
  void fail(const Failure& failure);
  void fail_with_stack(const Failure& failure);
  void end(int exit_code);
  void kill_after_grace();
  void release_crash(std::uint32_t rank);
  void send(std::uint32_t rank, int signal) const;
  void send_to_all(int signal);
  void stop_if_over();
  void ask_to_end();
  void clear_away();
  void say(const std::string& text);
  [[nodiscard]] bool user_ends_job() const;

  const JobSpec& spec_;
  std::vector<std::string> programs_;
  Settings settings_;
  GuardianChannel& guardian_;
  Inherited inherited_;
  Origin* origin_;
  bool direct_;  ///< a lone rank

  EventLoop loop_;
  Sink output_;
  Sink errors_;
  Symbolizer symbolizer_;
  std::unique_ptr<memory::JobSegment> segment_;
  bootstrap::Descriptor nothing_;      ///< /dev/null
  bootstrap::Descriptor event_;        ///< where ranks wake us; they have the other end
  bootstrap::Descriptor ranks_event_;  ///< which we keep as well, so that it is never closed
  SignalSource child_signals_;
  std::vector<Rank> ranks_;  ///< of this node, by local rank
  std::set<int> passed_signals_;
  std::optional<Failure> failure_;
  bool ending_ = false;
  bool noted_early_leaver_ = false;
  std::optional<Failure> first_loss_;  ///< of a job that goes on
  bool somebody_finished_ = false;     ///< a rank has come through MPI_Finalize
  ForeignMpi foreign_mpi_;
  bool output_lost_ = false;  ///< our standard output takes no more
  int exit_code_ = 0;
};

}  // namespace starling::launch
