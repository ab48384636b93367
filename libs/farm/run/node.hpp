// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// One process of the farm: its queues, its Calculate threads, its relay, and Input and Output if it is the server.
//
// Thread safety: one thread; it starts the others.
#pragma once

#include <atomic>
#include <exception>
#include <starling/farm/program.hpp>

#include "tree/assignment.hpp"
#include "wire/link.hpp"

namespace starling::farm {

struct NodeSetting {
  int threads;                            ///< Calculate threads here.
  const std::atomic<bool>* asked_to_end;  ///< By SIGTERM.
  std::atomic<int>* asked_to_grow;        ///< How often by SIGUSR1; taken off as it is done.
  int spare_threads = 0;                  ///< That begin here when nobody else is left that calculates.
  std::vector<Replacement> replaced{};    ///< By spares, before this process began: itself, and others.
};

struct NodeOutcome {
  Summary summary;
  std::exception_ptr error;  ///< What Input or Output threw; the run was stopped in order.
};

/// Runs this process's part until the farm has ended. Throws where it cannot: others may wait then for this process.
NodeOutcome run_node(const Options& options, Program& program, Link& link, const Tree& tree,
                     const NodeSetting& setting);

}  // namespace starling::farm
