// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/context.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "base/assert.hpp"
#include "bootstrap/crash/crash_handlers.hpp"
#include "mpi/io/files.hpp"
#include "mpi/partitioned/partitioned.hpp"
#include "resilience/fault_tolerance.hpp"
#include "world/dynamic/spawn.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX asks the program to declare it

namespace starling::mpi {
namespace internal {

thread_local constinit Context* thread_context = nullptr;

namespace {

/// The rank whose process this is a fork of, in the child; handlers of pthread_atfork take no argument.
std::atomic<int> g_rank_of_process{-1};
std::atomic<int> g_forked_from{-1};

/// Only fork() comes here: vfork, posix_spawn, system and popen run another program and cost nothing. The thread that
/// forks is the only one that the child has.
void in_forked_child() {
  g_forked_from = g_rank_of_process.load();
  thread_context = nullptr;
}

}  // namespace

Context* bind_thread() {
  if (g_forked_from >= 0) {
    static Context* const childs_context = Context::of_forked_child();
    thread_context = childs_context;
    return childs_context;
  }
  // Lives until the process ends: calls are legal after MPI_Finalize, from destructors of the program's statics too.
  static Context* const process_context = new Context;
  thread_context = process_context;
  return process_context;
}

}  // namespace internal

namespace {

Status too_many(const char* what) {
  return Status::error(ErrorClass::kIntern, std::string("more than four million ") + what +
                                                " are alive; free those that are no longer needed");
}

}  // namespace

Context::Context(JoinWorld join, Owner owner)
    : join_(std::move(join)), owner_(owner), empty_group_(Ref<comm::Group>::adopt(new comm::Group({}))) {
  for (std::uint32_t code = 0; code < predefined_types_.size(); ++code) {
    const std::optional<datatype::Basic> basic = datatype::basic_from_code(code);
    if (basic) predefined_types_[code] = &datatype::predefined(*basic);
  }
  const struct {
    MPI_Op handle;
    datatype::PredefinedOp op;
  } predefined[] = {{MPI_SUM, datatype::PredefinedOp::kSum},         {MPI_MIN, datatype::PredefinedOp::kMin},
                    {MPI_MAX, datatype::PredefinedOp::kMax},         {MPI_PROD, datatype::PredefinedOp::kProd},
                    {MPI_BAND, datatype::PredefinedOp::kBand},       {MPI_BOR, datatype::PredefinedOp::kBor},
                    {MPI_BXOR, datatype::PredefinedOp::kBxor},       {MPI_LAND, datatype::PredefinedOp::kLand},
                    {MPI_LOR, datatype::PredefinedOp::kLor},         {MPI_LXOR, datatype::PredefinedOp::kLxor},
                    {MPI_MINLOC, datatype::PredefinedOp::kMinloc},   {MPI_MAXLOC, datatype::PredefinedOp::kMaxloc},
                    {MPI_REPLACE, datatype::PredefinedOp::kReplace}, {MPI_NO_OP, datatype::PredefinedOp::kNoOp}};
  for (const auto& [handle, op] : predefined) {
    predefined_ops_[value_of(handle) - value_of(MPI_OP_NULL)] = &datatype::predefined(op);
  }
}

Context::~Context() {
  comms.for_each([&](std::uintptr_t handle, Ref<CommObject>& /*comm*/) { erase_comm(to_handle<MPI_Comm>(handle)); });
}

Context* Context::of_forked_child() {
  auto* context = new Context;
  context->forked_from_ = internal::g_forked_from;
  context->life = Life::kAfter;
  return context;
}

Status Context::refuse_fork() const {
  return Status::error(ErrorClass::kOther,
                       "this process was forked by rank " + std::to_string(forked_from_) +
                           " after MPI_Init, and its calls would be taken for that rank's. A forked child may use "
                           "memory and files, or start another program (exec), but must not call MPI; "
                           "MPI_Finalized tells it so");
}

Status Context::join() {
  std::vector<std::string> warnings;
  Result<std::unique_ptr<world::World>> made = join_(tool.overrides, &warnings);
  print_warnings(warnings);
  if (!made.ok()) return std::move(made).status();
  world = std::move(made).value();
  resilience = std::make_unique<resilience::FaultTolerance>(*world);
  progress = &world->progress();
  p2p = &world->p2p();
  collectives = &world->collectives();
  return {};
}

Status Context::use_engines(int* level) {
  if (is_forked_child()) return refuse_fork();
  if (world == nullptr) {
    STARLING_TRY(join());
  } else if (users_ == 0) {
    world->resume();
  }
  ++users_;
  if (*level == MPI_THREAD_MULTIPLE && users_ == 1) {
    progress->set_threaded();
    threaded = true;
  } else if (*level == MPI_THREAD_MULTIPLE && !threaded) {
    // Another thread may be inside a call right now, and it holds no lock.
    *level = MPI_THREAD_SERIALIZED;
  }
  if (users_ > 1) return {};
  if (owner_ == Owner::kProcess && internal::g_rank_of_process.exchange(world->rank()) < 0) {
    // Without memory for it forks go unnoticed, as with a bare clone().
    static_cast<void>(pthread_atfork(nullptr, nullptr, internal::in_forked_child));
  }
  if (owner_ == Owner::kProcess) crash_handlers_ = std::make_unique<bootstrap::CrashHandlers>(world->job());
  card = &progress->card();
  running = true;
  return {};
}

Status Context::leave_engines() {
  if (users_ == 1) {
    flush_buffers();
    STARLING_TRY(world->pause());
  }
  if (--users_ == 0) stop();
  return {};
}

void Context::stop() {
  reap_orphans();
  running = false;
  drop_handles();
  crash_handlers_.reset();
  card = &no_card_;
}

Status Context::start(int* level) {
  STARLING_TRY(use_engines(level));
  thread_level = *level;
  main_thread = std::this_thread::get_id();
  make_predefined_comm(MPI_COMM_WORLD, world->comm_world(), "MPI_COMM_WORLD", world_comm);
  make_predefined_comm(MPI_COMM_SELF, world->comm_self(), "MPI_COMM_SELF", self_comm);
  world_comm_owner_ = Ref<CommObject>::adopt(world_comm);
  self_comm_owner_ = Ref<CommObject>::adopt(self_comm);
  predefined_attributes.tag_ub = std::numeric_limits<int>::max();
  // Starting processes is never refused: as many more as there are cores for can be of use.
  predefined_attributes.universe_size = world->size() + static_cast<int>(world->job().segment->header().usable_cores);
  predefined_attributes.fault_tolerance = resilience->survives() ? 1 : 0;
  predefined_attributes.app_number = world->job().segment->rank(world->job().rank).app_number;
  set_initial_errhandler();
  STARLING_TRY(meet_parent());
  life = Life::kInside;
  return {};
}

void Context::set_initial_errhandler() {
  const std::string& name = world->job().initial_errhandler;
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  if (name == "mpi_errors_return") handler = MPI_ERRORS_RETURN;
  if (name == "mpi_errors_abort") handler = MPI_ERRORS_ABORT;
  world_comm->errhandler = self_comm->errhandler = handler;
}

Status Context::meet_parent() {
  const std::lock_guard<progress::Engine> lock(*progress);
  world::MadeCommunicator made = world::meet_parent(*world);
  if (!made.ok()) return std::move(made).status();
  if (!made.value()) return {};
  Result<MPI_Comm> handle = add_comm(std::move(made).value(), world_comm->errhandler);
  if (!handle.ok()) return std::move(handle).status();
  parent_comm = handle.value();
  comm(parent_comm)->name = "MPI_COMM_PARENT";
  return {};
}

void Context::make_predefined_comm(MPI_Comm handle, const Ref<comm::Communicator>& communicator, const char* name,
                                   CommObject*& object) {
  object = new CommObject(communicator);
  object->handle = handle;
  object->name = name;
}

void Context::print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) std::fprintf(stderr, "starling: warning: %s\n", warning.c_str());
}

void Context::flush_buffers() {
  send_buffer.flush(*p2p);
  if (world_comm != nullptr) world_comm->buffer.flush(*p2p);
  if (self_comm != nullptr) self_comm->buffer.flush(*p2p);
  sessions.for_each([&](std::uintptr_t /*handle*/, std::unique_ptr<SessionObject>& one) { one->buffer.flush(*p2p); });
  comms.for_each([&](std::uintptr_t /*handle*/, Ref<CommObject>& comm) { comm->buffer.flush(*p2p); });
}

void Context::reap_orphans() {
  std::erase_if(orphans, [](p2p::Request* orphan) {
    if (!orphan->complete()) return false;
    orphan->dispose();
    return true;
  });
}

void Context::drop_handles() {
  requests.for_each([&](std::uintptr_t handle, RequestEntry& entry) {
    // What is incomplete belongs to an engine, which goes soon; what is complete or persistent belongs to its handle.
    p2p::Request& request = *entry.request;
    const bool owned = request.complete() || request.kind() == p2p::RequestKind::kPersistent ||
                       request.kind() == p2p::RequestKind::kGeneralized;
    requests.erase(handle);
    if (owned) request.dispose();
  });
  messages.for_each([&](std::uintptr_t handle, MessageEntry& /*message*/) { messages.erase(handle); });
  wins.for_each([&](std::uintptr_t handle, std::unique_ptr<WinObject>& /*win*/) { wins.erase(handle); });
  files.reset();
  comms.for_each([&](std::uintptr_t handle, Ref<CommObject>& /*comm*/) { erase_comm(to_handle<MPI_Comm>(handle)); });
}

Status Context::finish() {
  flush_buffers();
  if (resilience->survives()) {
    STARLING_TRY(resilience->gather_for_the_end());
    STARLING_TRY(world->finalize(world::Farewell::kAlone));
  } else {
    STARLING_TRY(world->finalize());
  }
  life = Life::kAfter;
  if (--users_ == 0) {
    stop();
  } else {
    world->resume();
  }
  world_comm = self_comm = nullptr;
  world_comm_owner_ = {};
  self_comm_owner_ = {};
  return {};
}

comm::Group* Context::group(MPI_Group handle) noexcept {
  if (handle == MPI_GROUP_EMPTY) return empty_group_.get();
  Ref<comm::Group>* found = groups.find(handle);
  return found ? found->get() : nullptr;
}

Info* Context::info(MPI_Info handle) noexcept {
  if (handle == MPI_INFO_ENV) return &environment_info_;
  std::unique_ptr<Info>* found = infos.find(handle);
  return found ? found->get() : nullptr;
}

TypeObject& Context::type_object(MPI_Datatype handle) {
  const std::uintptr_t code = value_of(handle) - value_of(MPI_DATATYPE_NULL);
  if (code >= predefined_type_objects_.size()) return **types.find(handle);
  std::unique_ptr<TypeObject>& object = predefined_type_objects_[code];
  if (!object) {
    object = std::make_unique<TypeObject>();
    object->name = predefined_types_[code]->name();
  }
  return *object;
}

Result<MPI_Comm> Context::add_comm(Ref<comm::Communicator> communicator, MPI_Errhandler errhandler) {
  auto object = Ref<CommObject>::adopt(new CommObject(std::move(communicator)));
  CommObject& comm = *object;
  comm.handle = to_handle<MPI_Comm>(comms.insert(object));
  if (comm.handle == nullptr) return too_many("communicators");
  comm.errhandler = errhandler;
  use_errhandler(comm.errhandler);
  return comm.handle;
}

void Context::free_comm(CommObject& comm) {
  comm.buffer.flush(*p2p);
  resilience->retire(comm.comm);
  release_errhandler(comm.errhandler);
  erase_comm(comm.handle);
}

SendBuffer& Context::send_buffer_of(CommObject& comm) {
  if (comm.buffer.attached()) return comm.buffer;
  SessionObject* from = session(to_handle<MPI_Session>(comm.comm->group()->origin()));
  return from != nullptr && from->buffer.attached() ? from->buffer : send_buffer;
}

Result<MPI_Datatype> Context::add_type(Ref<datatype::Datatype> type) {
  auto object = std::make_unique<TypeObject>();
  object->type = std::move(type);
  datatype::Datatype& made = *object->type;
  const auto handle = to_handle<MPI_Datatype>(types.insert(std::move(object)));
  if (handle == nullptr) return too_many("datatypes");
  made.set_user_handle(handle);
  return handle;
}

Result<MPI_Group> Context::add_group(Ref<comm::Group> group) {
  if (group->size() == 0) return MPI_GROUP_EMPTY;
  const auto handle = to_handle<MPI_Group>(groups.insert(std::move(group)));
  if (handle == nullptr) return too_many("groups");
  return handle;
}

Result<MPI_Info> Context::add_info(Info info) {
  const auto handle = to_handle<MPI_Info>(infos.insert(std::make_unique<Info>(std::move(info))));
  if (handle == nullptr) return too_many("info objects");
  return handle;
}

Result<MPI_Win> Context::add_win(std::unique_ptr<WinObject> win) {
  WinObject& object = *win;
  object.handle = to_handle<MPI_Win>(wins.insert(std::move(win)));
  if (object.handle == nullptr) return too_many("windows");
  return object.handle;
}

int Context::add_request(p2p::Request* request, const ErrorOwner& owner, MPI_Request* handle) {
  *handle = to_handle<MPI_Request>(requests.insert({request, owner}));
  if (*handle != nullptr) [[likely]]
    return MPI_SUCCESS;
  *handle = MPI_REQUEST_NULL;
  request->dispose();
  return fail(too_many("requests"), owner);
}

void Context::use_errhandler(MPI_Errhandler errhandler) {
  if (ErrhandlerObject* object = errhandlers.find(errhandler)) ++object->uses;
}

void Context::release_errhandler(MPI_Errhandler errhandler) {
  ErrhandlerObject* object = errhandlers.find(errhandler);
  if (object != nullptr && --object->uses == 0) errhandlers.erase(errhandler);
}

}  // namespace starling::mpi
