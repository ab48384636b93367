// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Preparation: what an agent does with its part of the job before any rank starts: it takes on mpiexec's environment
// and folder, finds the programs, and opens the listeners of its ranks. Each may fail on one host only.
// Thread safety: for single-threaded processes; changes environment and folder of this one.
#pragma once

#include <string>
#include <vector>

#include "launch/link/messages.hpp"
#include "launch/start/node_job.hpp"
#include "transport/tcp/entrances.hpp"

namespace starling::launch {

struct Preparation {
  int exit_code = 0;                                                 ///< 0: the node is ready; else of the job
  std::string problem;                                               ///< why not, and what to do
  NodeJob job;                                                       ///< all but its card
  std::int64_t dead_after_ms = 4000;                                 ///< of silence of mpiexec and its machine
  std::int64_t mute_after_ms = 30'000;                               ///< of mpiexec alone
  transport::tcp::PortRange ports;                                   ///< at which may be listened
  std::vector<std::vector<transport::tcp::OpenEntrance>> entrances;  ///< by local rank

  [[nodiscard]] Listening listening() const;
};

[[nodiscard]] Preparation prepare(const Part& part);

}  // namespace starling::launch
