// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/env/life.hpp"

#include <cstdio>

#include "api/functions.hpp"
#include "bootstrap/crash/crash_handlers.hpp"
#include "io/operation/operation_runner.hpp"
#include "mpi/boundary/fork.hpp"
#include "mpi/boundary/world_lock.hpp"
#include "mpi/env/progress_threads.hpp"
#include "mpi/env/second_mpi.hpp"
#include "mpi/env/timed_calls.hpp"
#include "mpi/p2p/send_buffer.hpp"
#include "progress/progress_thread.hpp"
#include "resilience/fault_tolerance.hpp"
#include "world/dynamic/spawn.hpp"

namespace starling::mpi {
namespace {

/// The first rank says it for all.
void warn_of_second_mpi(const world::World& world) {
  const std::string note = world.rank().value == 0 ? second_mpi_note() : std::string();
  if (!note.empty()) std::fprintf(stderr, "starling: warning: %s\n", note.c_str());
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::fprintf(stderr, "starling: warning: %s\n", warning.c_str());
}

Status join(Context& context) {
  std::vector<std::string> warnings;
  Result<std::unique_ptr<world::World>> made = context.join(context.overrides, &warnings);
  print_warnings(warnings);
  if (!made.ok()) return std::move(made).status();
  context.world = std::move(made).value();
  context.resilience = std::make_unique<resilience::FaultTolerance>(*context.world);
  context.progress = &context.world->progress();
  context.p2p = &context.world->p2p();
  context.collectives = &context.world->collectives();
  return {};
}

/// What the user has not freed goes while the engines that it uses are there.
void drop_handles(Context& context) {
  context.requests.for_each([&](std::uintptr_t handle, RequestEntry& entry) {
    // What is incomplete belongs to an engine, which goes soon; what is complete or persistent belongs to its handle.
    p2p::Request& request = *entry.request;
    const bool owned = request.complete() || request.kind() == p2p::RequestKind::kPersistent ||
                       request.kind() == p2p::RequestKind::kGeneralized;
    context.requests.erase(handle);
    if (owned) request.dispose();
  });
  const auto erase_all = [](auto& table) {
    table.for_each([&](std::uintptr_t handle, auto& /*object*/) { table.erase(handle); });
  };
  erase_all(context.messages);
  erase_all(context.wins);
  erase_all(context.files);
  context.file_operations.reset();
  context.comms.for_each(
      [&](std::uintptr_t handle, Ref<CommObject>& /*comm*/) { context.erase_comm(to_handle<MPI_Comm>(handle)); });
}

/// The last use of the engines is over.
void stop(Context& context) {
  end_progress_thread(context);
  print_warnings(context.p2p->warnings());
  context.reap_orphans();
  if (observe::Tracer* tracer = context.progress->listeners().tracer) {
    tracer->end_call();
    tracer->tell_end();
  }
  if (context.listener != nullptr) context.listener->stop();
  context.p2p->say_goodbye();  // a process keeps its engines until it ends, which nobody sees
  context.set_stopped();
  drop_handles(context);
  context.crash_handlers.reset();
  context.drop_card();
}

Ref<CommObject> predefined_comm(MPI_Comm handle, const Ref<comm::Communicator>& communicator, const char* name) {
  auto object = Ref<CommObject>::adopt(new CommObject(communicator));
  object->handle = handle;
  object->name = name;
  return object;
}

MPI_Errhandler initial_errhandler(const std::string& name) {
  if (name == "mpi_errors_return") return MPI_ERRORS_RETURN;
  if (name == "mpi_errors_abort") return MPI_ERRORS_ABORT;
  return MPI_ERRORS_ARE_FATAL;
}

/// Where other ranks have spawned this job, it gets a communicator with them.
Status meet_parent(Context& context) {
  const WorldLock lock(context);
  world::MadeCommunicator made = world::connect_to_parent(*context.world);
  if (!made.ok()) return std::move(made).status();
  if (!made.value()) return {};
  Result<MPI_Comm> handle = context.add_comm(std::move(made).value(), *context.world_comm);
  if (!handle.ok()) return std::move(handle).status();
  context.parent_comm = handle.value();
  context.comm(context.parent_comm)->name = "MPI_COMM_PARENT";
  return {};
}

}  // namespace

Status use_engines(Context& context, int* level) {
  if (context.is_forked_child()) return context.refuse_fork();
  if (context.world == nullptr) {
    STARLING_TRY(join(context));
  } else if (context.users == 0) {
    context.world->resume();
  }
  ++context.users;
  const bool moves_by_itself = context.users == 1 && progress::wants_progress_thread(context.world->config());
  if (context.users == 1 && (*level == MPI_THREAD_MULTIPLE || moves_by_itself)) {
    context.progress->set_threaded();
    context.set_manner(Context::kThreaded);
  } else if (*level == MPI_THREAD_MULTIPLE && !context.threaded()) {
    // Another thread may be inside a call right now, and it holds no lock.
    *level = MPI_THREAD_SERIALIZED;
  }
  if (context.users > 1) return {};
  if (context.bound_to == Context::Owner::kProcess) {
    watch_forks(context.world->rank().value, [] { internal::thread_context = nullptr; });
    context.crash_handlers = std::make_unique<bootstrap::CrashHandlers>(context.world->job());
    warn_of_second_mpi(*context.world);
  }
  context.card = &context.progress->card();
  if (observe::Tracer* tracer = context.progress->listeners().tracer) {
    time_collective_calls(*tracer);
    context.set_manner(Context::kTraced);
  }
  context.set_manner(Context::kRunning);
  if (moves_by_itself) start_progress_thread(context);
  if (context.listener != nullptr) context.listener->start();
  return {};
}

Status leave_engines(Context& context) {
  if (context.users == 1) {
    if (context.traced())
      context.progress->listeners().tracer->begin_call(static_cast<std::uint16_t>(Function::kFinalize));
    flush_buffers(context);
    STARLING_TRY(context.world->pause());
  }
  if (--context.users == 0) stop(context);
  return {};
}

Status start_mpi(Context& context, int* level) {
  STARLING_TRY(use_engines(context, level));
  context.thread_level = *level;
  context.main_thread = std::this_thread::get_id();
  context.world_comm = predefined_comm(MPI_COMM_WORLD, context.world->comm_world(), "MPI_COMM_WORLD");
  context.self_comm = predefined_comm(MPI_COMM_SELF, context.world->comm_self(), "MPI_COMM_SELF");
  context.world_comm->errhandler = initial_errhandler(context.world->job().initial_errhandler);
  context.self_comm->errhandler = context.world_comm->errhandler;
  STARLING_TRY(meet_parent(context));
  context.life = Life::kInside;
  return {};
}

Status finish_mpi(Context& context) {
  flush_buffers(context);
  if (context.resilience->survives()) {
    STARLING_TRY(context.resilience->gather_for_the_end());
    STARLING_TRY(context.world->finalize(world::FinalBarrier::kSkip));
  } else {
    STARLING_TRY(context.world->finalize());
  }
  context.life = Life::kAfter;
  if (--context.users == 0) {
    stop(context);
    bootstrap::take_leave(context.world->job());
  } else {
    context.world->resume();
  }
  context.world_comm = {};
  context.self_comm = {};
  return {};
}

}  // namespace starling::mpi
