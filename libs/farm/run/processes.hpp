// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Processes: the processes of a run. Those of MPI_COMM_WORLD, or, where a single process has a tree file of more, those
// that it starts by MPI_Comm_spawn. Starts MPI unless somebody did; it ends
// with the program then.
//
// How MPI starts and ends, and what is spawned, is the farm's own; the rest is in libs/mpi.
//
// Thread safety: one thread, that may call MPI.
#pragma once

#include <mpi.h>

#include <starling/farm/options.hpp>
#include <string>
#include <vector>

#include "mpi/owned_communicator.hpp"

namespace starling::farm {

class Processes {
 public:
  explicit Processes(const Options& options);
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// One more process with the same command line, which joins while the farm runs: a communicator of this process and,
  /// as rank 1, the new one. Its errors return.
  static any_mpi::OwnedCommunicator start_one_more(const Options& options);
  /// As MPI names it.
  static std::string own_host();

  /// The farm's own, whose errors return.
  MPI_Comm comm() const { return comm_.get(); }

 private:
  void start_mpi();
  any_mpi::OwnedCommunicator find_processes(const Options& options) const;

  any_mpi::OwnedCommunicator comm_;
};

}  // namespace starling::farm
