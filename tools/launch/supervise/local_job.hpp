// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// LocalJob: a job whose ranks are all on this machine: mpiexec's own standard output, input and signals, its time
// limit, and the Supervisor of the ranks.
// Thread safety: for single-threaded processes; everything runs in the event loop.
#pragma once

#include <optional>
#include <string>

#include "launch/record/trace_file.hpp"
#include "launch/report/rank_streams.hpp"
#include "launch/supervise/origin.hpp"
#include "launch/supervise/supervisor.hpp"
#include "launch/watch/hang_watch.hpp"

namespace starling::launch {

class LocalJob final : NodeReports {
 public:
  /// origin: of a spawned job, else null. The standard input of rank 0 is ours, or what is typed.
  LocalJob(const JobSpec& spec, NodeJob job, GuardianChannel& guardian, const Inherited& inherited, Origin* origin);

  /// Runs the job to its end; returns the exit status of the launcher. Nothing of the job is left then.
  int run();

 private:
  [[nodiscard]] LineSink& output() override { return streams_.output(); }
  [[nodiscard]] LineSink& errors() override { return streams_.errors(); }
  void say(const std::string& lines) override;
  void ends(int exit_code, const std::string& reason) override;
  void report(const FailureReport& report) override;
  void died(WorldRank) override {}
  void lost(WorldRank, memory::Losses::How) override {}
  void left_early(WorldRank, const std::string&) override {}
  void looked(const NodeScan& scan) override;
  void over() override { loop_.stop(); }

  void serve();
  /// false: the files of --output-filename cannot be written, which has been said.
  [[nodiscard]] bool begin_files();
  /// false: the trace cannot be begun, which has been said.
  [[nodiscard]] bool begin_trace();
  void on_timeout();
  void begin_watch();
  void end_deadlock(const std::string& lines);
  void on_broken_output(int error);

  const JobSpec& spec_;
  GuardianChannel& guardian_;
  Origin* origin_;
  bool goes_on_;
  EventLoop loop_;
  RankStreams streams_;
  WatchSettings watch_settings_;
  TraceFile trace_;
  Supervisor supervisor_;
  std::optional<HangWatch> watch_;
  bool origin_waits_ = false;  ///< the job never came to those who asked for it: its failure is theirs to tell
  bool output_lost_ = false;   ///< our standard output takes no more
};

}  // namespace starling::launch
