// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// NodeReports: what a Supervisor tells of the ranks of its node. On one node mpiexec itself listens (LocalJob), on
// several the agent of the node, which passes it on to the head of the job.
// Thread safety: none, for the event loop's thread.
#pragma once

#include <string>

#include "base/id.hpp"
#include "launch/report/failure_report.hpp"
#include "launch/report/line_sink.hpp"
#include "launch/watch/node_scan.hpp"
#include "memory/losses.hpp"

namespace starling::launch {

class NodeReports {
 public:
  NodeReports() = default;
  virtual ~NodeReports() = default;
  NodeReports(const NodeReports&) = delete;
  NodeReports& operator=(const NodeReports&) = delete;

  /// Where the lines of ranks go.
  [[nodiscard]] virtual LineSink& output() = 0;
  [[nodiscard]] virtual LineSink& errors() = 0;
  /// Whole lines of the launcher's own.
  virtual void say(const std::string& lines) = 0;
  /// The job ends with this status because of a rank of this node, or of what the user did to it. Told once, before
  /// report(). reason: for those who are connected with the job; empty when it is nobody's failure.
  virtual void ends(int exit_code, const std::string& reason) = 0;
  /// What the user shall read of the failure. Its stack may take a while.
  virtual void report(const FailureReport& report) = 0;
  /// A rank that the others may wait for is dead.
  virtual void died(WorldRank rank) = 0;
  /// A rank here cannot reach one of another node any more, in a job that goes on.
  virtual void lost(WorldRank rank, memory::Losses::How how) = 0;
  /// A rank has ended well and without MPI. Not told where a rank of this node is in MPI: that has been said.
  virtual void left_early(WorldRank rank, const std::string& program) = 0;
  /// What the ranks of the node do, about twice a second while the job does not end.
  virtual void looked(const NodeScan& scan) = 0;
  /// No rank is left, nor any job that one has spawned.
  virtual void over() = 0;
};

}  // namespace starling::launch
