// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks of a node: pipes, environment, place, program. What happens to them afterwards is the Supervisor's
// part. Thread safety: for single-threaded processes.
#pragma once

#include <memory>
#include <vector>

#include "base/descriptor.hpp"
#include "base/status.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/start/environment.hpp"
#include "launch/start/node_job.hpp"
#include "launch/start/spawn.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

/// A started rank.
struct StartedRank {
  pid_t process = -1;
  Descriptor output;  ///< reading end of its standard output; invalid where it has ours
  Descriptor errors;
  int unbound = 0;  ///< errno of what keeps it from being bound to cores
};

/// A rank that could not be started.
struct StartFailure {
  int exit_code = 0;
  std::string problem;
};

struct NodeResources {
  memory::JobSegment* segment;
  int event;     ///< the socket by which ranks wake the launcher
  int no_input;  ///< standard input of all but world rank 0
  Inherited inherited;
};

class Starter {
 public:
  /// places: by local rank, see topology::BindingPlan.
  Starter(const JobSpec& spec, const NodeJob& job, topology::BindingPlan places, NodeResources resources);

  /// Starts the next rank; false: it failed, see failure().
  bool start_next(StartedRank* started);
  [[nodiscard]] const StartFailure& failure() const noexcept { return failure_; }

 private:
  Environment& environment_of(std::size_t app_number);
  [[nodiscard]] std::vector<int> passed_descriptors() const;
  bool open_pipes(StartedRank* started, Descriptor writing[2]);
  [[nodiscard]] WorldRank rank() const noexcept { return job_.members.ranks[next_]; }
  void fail(const Child& child);

  const JobSpec& spec_;
  const NodeJob& job_;
  topology::BindingPlan places_;
  NodeResources resources_;
  std::size_t next_ = 0;                      ///< local rank
  std::size_t app_number_ = 0;                ///< of the rank at hand
  std::unique_ptr<Environment> environment_;  ///< of its application
  StartFailure failure_;
};

}  // namespace starling::launch
