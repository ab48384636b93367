// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Supervisor: starts the ranks of a node and watches over them until the last is gone. It sees how they fail, tells it
// (NodeReports), and ends them.
//
// A job fails with its first rank that dies of a signal, aborts, or ends before MPI_Finalize in a way that is no
// success. Then the others get SIGTERM and, after the grace time, SIGKILL. A rank that ends badly after MPI_Finalize
// only marks the exit status.
//
// Ranks are counted here as on the node (local ranks); what is told names world ranks.
// Thread safety: for single-threaded processes; everything runs in the event loop.
// Invariants: failure_ is set once and ending_ never falls back to false.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launch/events/event_loop.hpp"
#include "launch/events/process_watch.hpp"
#include "launch/events/signal_source.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/query/responder.hpp"
#include "launch/record/ring_drain.hpp"
#include "launch/report/foreign_mpi.hpp"
#include "launch/report/output.hpp"
#include "launch/report/report.hpp"
#include "launch/report/symbolizer.hpp"
#include "launch/start/starter.hpp"
#include "launch/supervise/guardian.hpp"
#include "launch/supervise/node_reports.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

class Supervisor {
 public:
  Supervisor(EventLoop& loop, const JobSpec& spec, NodeJob job, const Inherited& inherited, NodeReports& reports);

  /// Starts the ranks; from now on the loop serves them, until reports.over(). Where they cannot be started, it tells
  /// that the job ends. false: there is nothing to serve.
  [[nodiscard]] bool start();
  /// Ends what is left below this process; then nothing of the job is. For after the loop, which it runs once more.
  void clear_away();

  /// Ends the ranks, for the job ends with this status.
  void end(int exit_code);
  [[nodiscard]] bool is_ending() const noexcept { return ending_; }
  /// Hands a signal that the launcher has got on to the ranks.
  void pass_on(const PassedSignal& signal);
  /// Tells the ranks that one of another node is dead.
  void publish_death(WorldRank rank);
  /// Says that this rank has ended without MPI, if one of ours is in MPI and may wait for it. Said once.
  bool note_early_leaver(WorldRank rank, const std::string& program);
  /// For those who look at the ranks. Without a segment before they have been started.
  [[nodiscard]] NodeView view() const noexcept { return {segment_.get(), getpid(), inherited_}; }

  /// Where nobody has called our MPI, why that may be; empty where nothing is known.
  [[nodiscard]] std::string note_on_foreign_mpi();
  [[nodiscard]] bool somebody_has_joined() const;
  /// How the job has ended, as far as it is known here.
  struct Outcome {
    int exit_code = 0;
    bool finished = false;  ///< a rank has come through MPI_Finalize
  };
  [[nodiscard]] Outcome outcome() const noexcept { return {exit_code_, somebody_finished_}; }

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

  [[nodiscard]] Status prepare();
  void start_ranks();
  [[nodiscard]] topology::BindingPlan plan_places();
  void adopt(StartedRank started);
  void watch();

  void on_children();
  void on_segment();
  /// Looks at the guard words of the segment; false: they are damaged, and the job ends.
  bool segment_is_whole();
  void look_after_segment();

  void judge(std::uint32_t rank, int status);
  void judge_exit(std::uint32_t rank, int code, memory::RankState state);
  void look_for_abort();
  void look_for_crash(std::uint32_t rank);
  void look_for_wrapped_process(std::uint32_t rank);
  void wrapped_process_ended(std::uint32_t rank);
  void mark_dead(std::uint32_t rank);
  void lose(const Failure& failure);

  Failure failure_of(std::uint32_t rank, FailureKind kind, int number) const;
  void fail(std::uint32_t rank, const Failure& failure);
  void fail_with_stack(std::uint32_t rank, const Failure& failure);
  /// Ends the job because of something here.
  void end_job(int exit_code, const std::string& reason);
  void kill_after(std::int64_t ns);
  void release_crash(std::uint32_t rank);
  void send(std::uint32_t rank, int signal) const;
  void send_to_all(int signal);
  void stop_if_over();
  void ask_to_end();
  void wait_for_the_end_of_all();

  EventLoop& loop_;
  const JobSpec& spec_;
  NodeJob job_;
  Inherited inherited_;
  NodeReports& reports_;

  Symbolizer symbolizer_;
  std::unique_ptr<memory::JobSegment> segment_;
  std::unique_ptr<RingDrain> drain_;  ///< null: the ranks are not traced
  Descriptor nothing_;                ///< /dev/null
  Descriptor event_;                  ///< where ranks wake us; they have the other end
  Descriptor ranks_event_;            ///< which we keep as well, so that it is never closed
  SignalSource child_signals_;
  std::vector<Rank> ranks_;  ///< of this node, by local rank
  std::set<int> passed_signals_;
  std::optional<Failure> failure_;
  bool ending_ = false;
  bool over_ = false;
  bool noted_early_leaver_ = false;
  std::optional<Failure> first_loss_;  ///< of a job that goes on
  bool somebody_finished_ = false;
  ForeignMpi foreign_mpi_;
  int exit_code_ = 0;
};

}  // namespace starling::launch
