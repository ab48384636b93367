// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Starts the ranks of a job: pipes, environment, place, program. What happens to them afterwards is the Supervisor's
// part. Thread safety: for single-threaded processes.
#pragma once

#include <memory>
#include <vector>

#include "base/status.hpp"
#include "bootstrap/descriptor.hpp"
#include "launch/options/job_spec.hpp"
#include "launch/start/environment.hpp"
#include "launch/start/spawn.hpp"
#include "memory/job_segment.hpp"

namespace starling::launch {

/// A started rank.
struct StartedRank {
  pid_t process = -1;
  bootstrap::Descriptor output;  ///< reading end of its standard output; invalid where it has ours
  bootstrap::Descriptor errors;
  int unbound = 0;  ///< errno of what keeps it from being bound to cores
};

/// A rank that could not be started.
struct StartFailure {
  int exit_code = 0;
  std::string problem;
};

struct JobResources {
  memory::JobSegment* segment;
  int event;     ///< the socket by which ranks wake the launcher
  int input;     ///< standard input of rank 0
  int no_input;  ///< standard input of the others
  Inherited inherited;
  pid_t group;  ///< process group of a lone rank, which also keeps our output; 0: each rank its own, and pipes
};

class Starter {
 public:
  /// programs: for each application, the path to execute. places: see topology::BindingPlan.
  Starter(const JobSpec& spec, std::vector<std::string> programs, topology::BindingPlan places, JobResources resources);

  /// Starts the next rank; false: it failed, see failure().
  bool start_next(StartedRank* started);
  [[nodiscard]] const StartFailure& failure() const noexcept { return failure_; }

 private:
  Environment& environment_of(const Application& application);
  bool open_pipes(StartedRank* started, bootstrap::Descriptor writing[2]);
  void fail(const Child& child);

  const JobSpec& spec_;
  std::vector<std::string> programs_;
  topology::BindingPlan places_;
  JobResources resources_;
  std::size_t app_number_ = 0;
  std::uint32_t rank_in_application_ = 0;
  std::uint32_t rank_ = 0;
  std::unique_ptr<Environment> environment_;  ///< of the application at hand
  StartFailure failure_;
};

}  // namespace starling::launch
