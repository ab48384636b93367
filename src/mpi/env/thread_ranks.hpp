// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads of one process, for tests: each thread has its own Context, and with it its own World, over one job
// segment. The thread calls MPI_Init, communicates and calls MPI_Finalize as a process would.
//
// Thread safety: several jobs may run in one process, one after the other or at once. A thread that helps a rank binds
// the rank's context with a ContextScope.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/boundary/context.hpp"

namespace starling::mpi {

/// Makes a context current on this thread for as long as it lives.
class ContextScope {
 public:
  explicit ContextScope(Context& context) noexcept : previous_(std::exchange(internal::thread_context, &context)) {}
  ~ContextScope() { internal::thread_context = previous_; }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  Context* previous_;
};

/// Runs body(rank) on `ranks` threads and waits for all. Returns the number of ranks that initialised MPI but did not
/// finalise it, so 0 when all went well; -1 when there is no memory for the job or an override is not a variable.
int run_ranks_as_threads(int ranks, const std::function<void(int rank)>& body, const config::Overrides& overrides = {});

}  // namespace starling::mpi
