// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Context: all that the C interface keeps for one rank: its World, what stands behind the handles it gave out, and a
// slot for the state of each chapter that has one. env/life.hpp starts and ends it.
//
// A process has one, made on first use, because some calls are legal before MPI_Init; each thread is bound to it by its
// first call. A child that the program forks after MPI_Init is no rank: it gets a context in which MPI is over. A test
// that runs ranks as threads gives each thread its own (env/thread_ranks.hpp). Thread safety: current(),
// manner() from any thread; the rest needs the lock that BoundaryCall::enter takes. Invariants: the World
// is made by the first use of MPI (MPI_Init or a session) and kept until the process ends, because a later session may
// use it again; running() is true while it is in use; world_comm and self_comm are set between MPI_Init and
// MPI_Finalize.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bootstrap/crash/crash_handlers.hpp"
#include "mpi/boundary/call_listener.hpp"
#include "mpi/boundary/error_registry.hpp"
#include "mpi/boundary/handle_table.hpp"
#include "mpi/boundary/objects.hpp"
#include "mpi/boundary/slot.hpp"
#include "world/world.hpp"

namespace starling::io {
class OperationRunner;
}
namespace starling::progress {
class ProgressThread;
}
namespace starling::resilience {
class FaultTolerance;
}

namespace starling::mpi {

class KeyvalTable;
class PartitionedMatching;
struct Datareps;
struct FortranFacts;
struct FortranTypes;
struct PartitionTags;
struct PredefinedAttributes;
struct ToolState;

enum class Life : std::uint8_t { kBefore, kInside, kAfter };

class Context {
 public:
  using JoinWorld = std::function<Result<std::unique_ptr<world::World>>(const config::Overrides& overrides,
                                                                        std::vector<std::string>* warnings)>;
  enum class Owner : std::uint8_t { kProcess, kThread };

  /// join makes the World when MPI_Init asks for it. Crash handlers belong to a process's own context only.
  explicit Context(JoinWorld join = world::join_world, Owner owner = Owner::kProcess);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // What every call reads.
  enum Manner : std::uint8_t {
    kRunning = 1,   ///< the world is in use
    kThreaded = 2,  ///< several threads may call at once
    kTraced = 4,    ///< calls are recorded
    kListened = 8,  ///< somebody hears of calls
  };
  /// How calls are made: bits of Manner, in one byte, so that the usual call asks once.
  [[nodiscard]] std::uint8_t manner() const noexcept { return manner_.load(std::memory_order_seq_cst); }
  [[nodiscard]] bool running() const noexcept { return (manner() & kRunning) != 0; }
  [[nodiscard]] bool threaded() const noexcept { return (manner() & kThreaded) != 0; }
  [[nodiscard]] bool traced() const noexcept { return (manner() & kTraced) != 0; }
  [[nodiscard]] bool listened() const noexcept { return (manner() & kListened) != 0; }
  void set_manner(Manner bit) noexcept { manner_.fetch_or(bit); }
  void clear_manner(Manner bit) noexcept { manner_.fetch_and(static_cast<std::uint8_t>(~bit)); }
  void set_stopped() noexcept { manner_.fetch_and(static_cast<std::uint8_t>(~(kRunning | kTraced))); }

  p2p::PointToPoint* p2p = nullptr;
  progress::Engine* progress = nullptr;
  collective::Collectives* collectives = nullptr;
  observe::StatusCard* card = &no_card_;  ///< the rank's, or one that nobody reads
  CallListener* listener = nullptr;       ///< who listens, or has listened; null: nobody has
  Ref<CommObject> world_comm;
  Ref<CommObject> self_comm;
  std::uint32_t calls_without_round = 0;  ///< see p2p/messages.hpp
  MPI_Comm parent_comm = MPI_COMM_NULL;   ///< with those who spawned this job; may have been freed

  /// Of a process that a rank has forked: MPI counts as initialised and finalised there, and every call that needs a
  /// world is refused with refuse_fork().
  static Context* of_forked_child();
  [[nodiscard]] bool is_forked_child() const noexcept { return forked_from_ >= 0; }
  [[nodiscard]] Status refuse_fork() const;

  // The objects behind handles; null for a handle that is not alive.
  [[nodiscard]] CommObject* comm(MPI_Comm handle) noexcept {
    if (handle == MPI_COMM_WORLD) return world_comm.get();
    if (handle == MPI_COMM_SELF) return self_comm.get();
    if (handle == recent_comm_) return recent_object_;
    Ref<CommObject>* found = comms.find(handle);
    if (found == nullptr) return nullptr;
    recent_comm_ = handle;
    return recent_object_ = found->get();
  }
  [[nodiscard]] const datatype::Datatype* datatype(MPI_Datatype handle) noexcept {
    const std::uintptr_t code = value_of(handle) - value_of(MPI_DATATYPE_NULL);
    if (code < predefined_types_.size()) return predefined_types_[code];
    std::unique_ptr<TypeObject>* found = types.find(handle);
    return found ? (*found)->type.get() : nullptr;
  }
  [[nodiscard]] const datatype::Op* op(MPI_Op handle) noexcept {
    const std::uintptr_t code = value_of(handle) - value_of(MPI_OP_NULL);
    if (code < predefined_ops_.size()) return predefined_ops_[code];
    Ref<datatype::Op>* found = ops.find(handle);
    return found ? found->get() : nullptr;
  }
  [[nodiscard]] RequestEntry* request(MPI_Request handle) noexcept { return requests.find(handle); }
  [[nodiscard]] SessionObject* session(MPI_Session handle) noexcept {
    std::unique_ptr<SessionObject>* found = sessions.find(handle);
    return found ? found->get() : nullptr;
  }
  [[nodiscard]] comm::Group* group(MPI_Group handle) noexcept;
  /// Names and attributes, also of predefined types; the handle is alive.
  [[nodiscard]] TypeObject& type_object(MPI_Datatype handle);

  // New handles. kIntern when too many objects are alive.
  Result<MPI_Comm> add_comm(Ref<comm::Communicator> communicator, MPI_Errhandler errhandler);
  Result<MPI_Comm> add_comm(Ref<comm::Communicator> communicator, const CommObject& parent) {
    return add_comm(std::move(communicator), parent.errhandler);
  }
  Result<MPI_Datatype> add_type(Ref<datatype::Datatype> type);
  Result<MPI_Group> add_group(Ref<comm::Group> group);
  /// The request is disposed of when there is no room.
  int add_request(p2p::Request* request, const ErrorOwner& owner, MPI_Request* handle);
  int add_request(p2p::Request* request, MPI_Comm owner, MPI_Request* handle) {
    return add_request(request, ErrorOwner::of(owner), handle);
  }

  /// Ends a communicator's handle.
  void erase_comm(MPI_Comm handle) noexcept {
    recent_comm_ = MPI_COMM_NULL;
    recent_object_ = nullptr;
    comms.erase(handle);
  }
  /// The rank's object that has this error handler; null when it is not alive.
  [[nodiscard]] ErrhandlerHolder* holder(const ErrorOwner& owner) noexcept;
  void use_errhandler(MPI_Errhandler errhandler);
  void release_errhandler(MPI_Errhandler errhandler);

  HandleTable<Ref<CommObject>> comms;
  HandleTable<Ref<comm::Group>> groups;
  HandleTable<std::unique_ptr<TypeObject>> types;
  HandleTable<Ref<datatype::Op>> ops;
  HandleTable<Slot<Info>> infos;
  HandleTable<std::unique_ptr<ErrhandlerHolder>> wins;   ///< rma/win_object.hpp
  HandleTable<std::unique_ptr<ErrhandlerHolder>> files;  ///< io/files.hpp
  HandleTable<ErrhandlerObject> errhandlers;
  HandleTable<std::unique_ptr<SessionObject>> sessions;
  HandleTable<RequestEntry> requests;
  HandleTable<MessageEntry> messages;
  std::vector<p2p::Request*> orphans;  ///< freed by the user before they were complete

  /// Disposes of the orphans that are complete now.
  void reap_orphans();

  ErrorRegistry errors;
  MPI_Errhandler file_errhandler = MPI_ERRORS_RETURN;  ///< of MPI_FILE_NULL: the default of files
  config::Overrides overrides;                         ///< what tools have set before MPI starts, by name
  int tool_users = 0;                                  ///< MPI_T_init_thread without MPI_T_finalize

  // What the chapters keep.
  Slot<KeyvalTable> keyvals;
  Slot<PredefinedAttributes> predefined_attributes;
  Slot<Info> environment_info;   ///< MPI_INFO_ENV
  Slot<SendBuffer> send_buffer;  ///< MPI_Buffer_attach
  Slot<PartitionedMatching> partitioned_matching;
  Slot<PartitionTags> partition_tags;
  Slot<io::OperationRunner> file_operations;  ///< once a file was opened
  Slot<Datareps> datareps;                    ///< MPI_Register_datarep
  Slot<FortranFacts> fortran;
  Slot<FortranTypes> fortran_types;
  Slot<ToolState> tool;
  Slot<progress::ProgressThread> progress_thread;  ///< while the world is in use, where one is wanted

  std::unique_ptr<world::World> world;
  std::unique_ptr<resilience::FaultTolerance> resilience;
  Life life = Life::kBefore;
  int thread_level = MPI_THREAD_SINGLE;
  std::thread::id main_thread;
  std::recursive_mutex anytime_mutex;  ///< for calls that are legal when there is no World to lock

  // What starts and ends use (env/life.hpp).
  const JoinWorld join;
  const Owner bound_to;
  int users = 0;  ///< MPI_Init without MPI_Finalize, and the sessions
  std::unique_ptr<bootstrap::CrashHandlers> crash_handlers;
  /// From now on the card is one that nobody reads.
  void drop_card() noexcept { card = &no_card_; }

 private:
  std::atomic<std::uint8_t> manner_ = 0;
  observe::StatusCard no_card_;
  // What comm() found last: a call looks its communicator up several times, and the next call often has the same.
  MPI_Comm recent_comm_ = MPI_COMM_NULL;
  CommObject* recent_object_ = nullptr;

  int forked_from_ = -1;  ///< the rank that has forked this process; -1: nobody has
  std::array<const datatype::Datatype*, 256> predefined_types_{};
  std::array<const datatype::Op*, 32> predefined_ops_{};
  std::array<std::unique_ptr<TypeObject>, 256> predefined_type_objects_;
  Ref<comm::Group> empty_group_;
};

namespace internal {
// Initial-exec: one load relative to the thread pointer instead of a call, in a shared library too.
extern thread_local constinit Context* thread_context [[gnu::tls_model("initial-exec")]];
/// Binds the calling thread to the process's context, which is made when there is none.
[[gnu::cold]] Context* bind_thread();
}  // namespace internal

/// Why an object gets no handle. `what` is a plural: "communicators".
[[nodiscard]] Status too_many(std::string_view what);

/// The context of the calling thread; null until its first call.
[[nodiscard]] inline Context* current() noexcept { return internal::thread_context; }

}  // namespace starling::mpi
