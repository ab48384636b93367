// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/env/progress_threads.hpp"

#include <cstdio>

#include "mpi/boundary/world_lock.hpp"
#include "progress/progress_thread.hpp"

namespace starling::mpi {
namespace {

using Duty = progress::ProgressThread::Duty;

progress::ProgressThread& start(Context& context, Duty duty, std::int64_t core) {
  const auto locked = [&context](const std::function<bool()>& body) {
    internal::thread_context = &context;  // for what the program hands in, such as an operation of a reduction
    const WorldLock lock(context);
    return body();
  };
  return context.progress_thread.make(*context.progress, locked, duty, core);
}

void warn_of_no_thread(const Context& context) {
  std::fprintf(stderr,
               "starling: warning: rank %d cannot start a thread that serves accesses of other nodes to its windows "
               "while it computes: the system has no thread or descriptor left. They wait until it makes an MPI call\n",
               context.world->rank().value);
}

}  // namespace

void start_progress_thread(Context& context) { start(context, Duty::kEverything, progress::kAnyCore); }

void end_progress_thread(Context& context) {
  if (!context.progress_thread) return;
  const bool has_lock = internal::call_depth != 0;
  if (has_lock) context.progress->unlock();
  context.progress_thread.reset();
  if (has_lock) context.progress->lock();
}

void update_far_service(Context& context) {
  const progress::ProgressThread* const runs = context.progress_thread.get();
  if (runs != nullptr && runs->duty() == Duty::kEverything) return;
  rma::OneSided& windows = context.world->rma();
  const rma::TargetService& agent = windows.target_service();
  const bool wanted = windows.has_far_windows() && agent.agent_mode() != rma::AgentMode::kOff;
  if (wanted && runs != nullptr && runs->core() == agent.core_of_agent()) return;
  end_progress_thread(context);
  if (!wanted) return;
  lock_from_now_on(context);
  if (!start(context, Duty::kFarRanks, agent.core_of_agent()).runs()) warn_of_no_thread(context);
}

}  // namespace starling::mpi
