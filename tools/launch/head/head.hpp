// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Head: mpiexec's part of a job on several hosts. It starts an agent on each host (agent/agent.hpp), tells each its
// part of the job, and from then on prints what the ranks print, hands down signals and input, and decides when the job
// is over and how it went.
//
// A start has steps, each with a deadline: agents say hello; they get their parts, prepare and say where their ranks
// listen; they get the card of the job and start the ranks. The first failure that reaches the head is the job's: it is
// reported, and all hosts end their ranks. A host whose agent and machine are silent for too long, or whose link ends,
// is lost, and the job ends. A job that goes on does so without the dead, and without the ranks of lost hosts. Thread
// safety: for single-threaded processes; everything runs in the event loop. Invariants: ending_ never falls back to
// false; only the host that ended the job has its report printed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launch/head/head_deaths.hpp"
#include "launch/head/head_failure.hpp"
#include "launch/head/head_queries.hpp"
#include "launch/head/head_watch.hpp"
#include "launch/head/host_traces.hpp"
#include "launch/head/node.hpp"
#include "launch/head/rank_output.hpp"
#include "launch/head/standard_input.hpp"
#include "launch/link/branches.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/report/rank_streams.hpp"
#include "launch/report/report.hpp"
#include "launch/supervise/guardian.hpp"
#include "launch/supervise/origin.hpp"
#include "transport/tcp/address_choice.hpp"
#include "transport/tcp/interface_filter.hpp"

namespace starling::launch {

struct HeadSettings {
  bool goes_on = false;               ///< when ranks die
  std::string version;                ///< of Starling
  std::int64_t deadline_ms = 30'000;  ///< of each step of the start
  std::int64_t dead_after_ms = 4000;  ///< of silence of a machine; that of an agent alone has the deadline of a step
  transport::tcp::PortRange ports;    ///< at which may be listened
  std::int64_t grace_ms = 1000;       ///< that ranks get to end
  WatchSettings watch;
  transport::tcp::InterfaceFilter filter;  ///< which addresses are wanted

  static Result<HeadSettings> of(const JobSpec& spec, const config::Store& store, std::string version);
};

class Head {
 public:
  /// The spec learns how many ranks each application gets. origin: of a spawned job, else null.
  Head(JobSpec& spec, HeadSettings settings, GuardianChannel& guardian, const Inherited& inherited, Origin* origin);

  /// Runs the job to its end; returns the exit status of mpiexec. Nothing of the job is left then on any host that can
  /// be reached.
  int run();

 private:
  // The start (head_start.cpp).
  void start_agents();
  bool share_out();
  /// false: the files of --output-filename cannot be written, which has been said.
  bool begin_output_files();
  void on_hello(HeadNode& node, const std::string& body);
  void hand_out_parts();
  [[nodiscard]] Part part_of(std::size_t number) const;
  bool choose_addresses();
  void on_listening(HeadNode& node, const std::string& body);
  void send_cards();
  /// Tells the agents where they can feel whether mpiexec's machine is still there.
  void open_doors();
  [[nodiscard]] bool all_have_reached(Step step) const;
  [[nodiscard]] std::string what_to_try(std::size_t number) const;
  void begin_step();
  void on_deadline();

  // What agents tell.
  void take(Frame frame);
  void take_from_ranks(std::int32_t number, FrameKind kind, const std::string& body);
  void on_ends(std::int32_t number, int exit_code);
  void on_over(HeadNode& node, const std::string& body);
  void on_lost(std::int32_t number, const std::string& why);
  /// Nothing comes from its ranks any more.
  void on_gone(std::int32_t number);
  void on_unreached(std::int32_t number, const std::string& why);
  void damaged(std::int32_t number);

  void serve();
  void on_signal(const PassedSignal& signal);
  void on_broken_output(int error);
  void on_timeout();
  void end_deadlock(const std::string& lines);
  void beat();
  /// Once, when nothing comes from its agent though the machine answers.
  void tell_if_mute(HeadNode& node, std::int64_t now_ns);

  void tell(std::size_t number, FrameKind kind, std::string body = {});
  /// To all hosts whose ranks run, but one.
  void tell_all(FrameKind kind, const std::string& body = {}, std::int32_t except = -1);
  void say(const std::string& lines);
  void say_once(const std::string& lines);
  /// Ends the job with a sentence about a host.
  void fail(std::int32_t number, const std::string& sentence);
  void end(int exit_code);
  void give_up_waiting();
  void stop_if_over();
  int finish();

  JobSpec& spec_;
  HeadSettings settings_;
  GuardianChannel& guardian_;
  EventLoop loop_;
  RankStreams streams_;
  RankOutput rank_output_;
  RankOutput rank_errors_;
  Doors doors_{loop_};
  Branches branches_;
  StandardInput input_;
  std::vector<HeadNode> nodes_;
  HeadQueries queries_;
  HeadWatch watch_;
  HeadFailure failure_;
  HeadDeaths deaths_;
  std::int32_t input_node_ = -1;  ///< where rank 0 is
  EventLoop::TimerId deadline_ = 0;
  std::set<std::string> said_;  ///< notes, which several hosts may have
  HostTraces traces_;
  Origin* origin_;
  bool ending_ = false;
  bool output_lost_ = false;
  int exit_code_ = 0;
};

}  // namespace starling::launch
