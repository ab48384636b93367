// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Finds the jobs that run on this machine, by their launchers: each has a worker process that names itself starling-job
// and holds the descriptor of the job's segment. No set-up and no file is needed.
//
// Thread safety: reads /proc. Invariants: nothing of the job is changed; a segment stays mapped though the job ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory/job_segment.hpp"

namespace starling::observe {

enum class JobKind : std::uint8_t {
  kHere,  ///< all of its ranks are on this machine
  kHead,  ///< its ranks are on several hosts, and its mpiexec is here
  kPart   ///< some of its ranks are here, and its mpiexec is on another host
};

struct FoundJob {
  JobKind kind = JobKind::kHere;
  pid_t id = 0;      ///< the process of mpiexec, which the user has started
  pid_t worker = 0;  ///< its worker, the parent of the ranks
  uid_t user = 0;
  std::int64_t age_ns = 0;
  std::string command;                          ///< of mpiexec, cut to a line
  std::unique_ptr<memory::JobSegment> segment;  ///< of kHere and kPart; null: refused
  std::string socket;                           ///< of kHead: where it is asked (launcher_socket.hpp)
  std::string host;                             ///< of kPart: where mpiexec runs, if that is known
  pid_t mpiexec = 0;                            ///< ... and its process there
  std::string refusal;  ///< why nothing can be known of the job here, a sentence without a full stop; empty: it can
};

/// All jobs of which this user may see anything, in the order of their ids. A launcher whose segment nobody may open is
/// among them; a part of a job is not, where its mpiexec runs on this machine as well.
[[nodiscard]] std::vector<FoundJob> find_jobs();

}  // namespace starling::observe
