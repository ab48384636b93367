// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/context.hpp"

#include "base/format.hpp"
#include "bootstrap/crash/crash_handlers.hpp"
#include "mpi/boundary/fail.hpp"
#include "mpi/boundary/fork.hpp"
#include "resilience/fault_tolerance.hpp"

namespace starling::mpi {
namespace internal {

thread_local constinit Context* thread_context = nullptr;

namespace {

/// Another launcher takes the end of a process that has not taken leave of it for a failure. MPI_Finalize does so; a
/// program that has sessions only does so here, once all of them have ended.
class LeaveAtExit {
 public:
  explicit LeaveAtExit(Context& context) noexcept : context_(context) {}
  ~LeaveAtExit() {
    if (forked_from() < 0 && context_.world && !context_.running()) bootstrap::take_leave(context_.world->job());
  }
  LeaveAtExit(const LeaveAtExit&) = delete;
  LeaveAtExit& operator=(const LeaveAtExit&) = delete;

 private:
  Context& context_;
};

}  // namespace

Context* bind_thread() {
  if (forked_from() >= 0) {
    static Context* const childs_context = Context::of_forked_child();
    thread_context = childs_context;
    return childs_context;
  }
  // Lives until the process ends: calls are legal after MPI_Finalize, from destructors of the program's statics too.
  static Context* const process_context = new Context;
  static const LeaveAtExit leave_at_exit(*process_context);
  thread_context = process_context;
  return process_context;
}

}  // namespace internal

Status too_many(std::string_view what) {
  return Status::error(ErrorClass::kIntern,
                       formatted("more than four million {} are alive; free those that are no longer needed", what));
}

std::string CommObject::text() const {
  return !name.empty() ? name : formatted("a communicator of {} ranks", comm->size());
}

Context::Context(JoinWorld join_world, Owner whose)
    : join(std::move(join_world)),
      bound_to(whose),
      empty_group_(Ref<comm::Group>::adopt(new comm::Group(std::vector<ProcessId>()))) {
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
  progress_thread.reset();
  // Communicators and files end while the World and the engine of files are there.
  files.for_each([&](std::uintptr_t handle, auto& /*file*/) { files.erase(handle); });
  world_comm = {};
  self_comm = {};
  comms.for_each([&](std::uintptr_t handle, Ref<CommObject>& /*comm*/) { erase_comm(to_handle<MPI_Comm>(handle)); });
}

Context* Context::of_forked_child() {
  auto* context = new Context;
  context->forked_from_ = forked_from();
  context->life = Life::kAfter;
  return context;
}

Status Context::refuse_fork() const {
  return Status::error(
      ErrorClass::kOther,
      formatted(
          "this process was forked by rank {} after MPI_Init, and a forked child is no rank: MPI would take its calls "
          "for that rank's. It may use memory and files, or start another program (exec), but it must not call MPI; "
          "MPI_Finalized is true in it",
          forked_from_));
}

void Context::reap_orphans() {
  std::erase_if(orphans, [](p2p::Request* orphan) {
    if (!orphan->complete()) return false;
    orphan->dispose();
    return true;
  });
}

comm::Group* Context::group(MPI_Group handle) noexcept {
  if (handle == MPI_GROUP_EMPTY) return empty_group_.get();
  Ref<comm::Group>* found = groups.find(handle);
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
  object->errhandler = errhandler;
  const auto handle = to_handle<MPI_Comm>(comms.insert(std::move(object)));
  if (handle == nullptr) return too_many("communicators");
  CommObject& made = **comms.find(handle);
  made.handle = handle;
  card->last.name_comm(static_cast<std::uint32_t>(value_of(handle)), made.comm->context_id());
  use_errhandler(errhandler);
  if (listener != nullptr) {
    observe::Occurrence what;
    what.kind = observe::OccurrenceKind::kCommunicatorMade;
    what.context_id = made.comm->context_id();
    what.number = static_cast<std::uint64_t>(made.comm->addressed_size());
    listener->hear(what);
  }
  return handle;
}

ErrhandlerHolder* Context::holder(const ErrorOwner& due) noexcept {
  const auto found = [](std::unique_ptr<ErrhandlerHolder>* entry) { return entry ? entry->get() : nullptr; };
  switch (due.type()) {
    case ErrorOwnerType::kComm: return comm(due.comm());
    case ErrorOwnerType::kWin: return found(wins.find(due.win()));
    case ErrorOwnerType::kFile: return found(files.find(due.file()));
    case ErrorOwnerType::kSession: return session(due.session());
    case ErrorOwnerType::kNone:
    case ErrorOwnerType::kHandler: break;
  }
  return nullptr;
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
