// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The soak's command line and the life of one of its ranks, whether that is a process or a thread.
#pragma once

#include "stress/soak_plan.hpp"

namespace starling::stress {

struct SoakCommand {
  SoakOptions options;

  // Of the binary that runs ranks as threads.
  int threads = 1;  ///< ranks
  int nodes = 1;    ///< to which they are dealt one by one; what travels between nodes takes a random time
};

/// Prints the usage and leaves at a mistake.
SoakCommand read_soak_command(int argc, char** argv);

/// From MPI_Init_thread to MPI_Finalize; returns the exit status.
int run_soak(const SoakOptions& options);

}  // namespace starling::stress
