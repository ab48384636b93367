// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Call: what the generated C boundary asks of the runtime around every MPI call.
//
// The boundary is generated from api/ and has one shape: make a Call, enter it, check the arguments one by one, run the
// body, and report what failed. Every step returns MPI_SUCCESS or an error class, so the good path is a chain of tests.
// A step that fails has first *noted* its failure with fail(); report() then adds the text of the whole call and passes
// it to the error handler, once. A body fails in the same way: `return fail(status)`, or `return fail(status, comm)`
// when another object's error handler is due than that of the call's own argument (a request's communicator). A body
// that returns a code without noting anything has already reported it, and the code goes to the caller as it is.
//
// entry.hpp defines the inline functions of Call; the rest stand in call.cpp and refusals.cpp.
// Thread safety: a Call belongs to the thread that made it; the noted failure is kept for each thread.
// Invariants: between a successful enter() and the end of the Call the world's lock is held when the thread level asks
// for one; no check has a side effect except that note.
// Sources: MPI-5.0 chapters 2.8 and 9.3 (error handling), 11.4 (what may be called before and after the world's life).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "api/functions.hpp"
#include "base/status.hpp"
#include "mpi/boundary/call_text.hpp"
#include "mpi/boundary/counts.hpp"
#include "mpi/boundary/error_owner.hpp"

namespace starling::mpi {

/// When a function may be called.
enum class When {
  kInside,   ///< between init and finalize only
  kAnytime,  ///< also before init and after finalize
  kTool,     ///< at any time, and its failures never go through an error handler (MPI_T)
};

enum class RankKind {
  kDestination,  ///< 0..size-1 or MPI_PROC_NULL
  kSource,       ///< also MPI_ANY_SOURCE
  kMember,       ///< 0..size-1 only
};
enum class TagKind { kSend, kReceive };         ///< kReceive also takes MPI_ANY_TAG
enum class NullHandle { kRefused, kAccepted };  ///< whether MPI_..._NULL is a legal argument
enum class KeyvalKind { kComm, kDatatype, kWin };
enum class NeighborSide { kSources, kDestinations };  ///< a block from each source, or one for each destination

/// Notes a failure for report() and returns its code. Without an owner, the error handler of the call's own argument is
/// used, or that of MPI_COMM_SELF when the call has none.
[[gnu::cold]] int fail(Status status);
[[gnu::cold]] int fail(Status status, const ErrorOwner& owner);
[[gnu::cold]] int fail(Status status, MPI_Comm owner);
[[gnu::cold]] int fail(Status status, MPI_Win owner);
[[gnu::cold]] int fail(Status status, MPI_File owner);
[[gnu::cold]] int fail(Status status, MPI_Session owner);

/// What a call returns that ended so.
inline int done(Status status) {
  if (status.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(std::move(status));
}
template <typename Owner>
int done(Status status, const Owner& owner) {
  if (status.ok()) [[likely]]
    return MPI_SUCCESS;
  return fail(std::move(status), owner);
}

class Call {
 public:
  inline explicit Call(Function function, When when = When::kInside) noexcept;
  inline ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  [[nodiscard]] Function function() const noexcept { return function_; }

  /// Takes the world's lock where the thread level needs it. MPI_ERR_OTHER before init and after finalize.
  [[nodiscard]] inline int enter();

  // Handles. MPI_ERR_COMM, _WIN, _FILE, _SESSION, _GROUP, _INFO, _ERRHANDLER, _TYPE, _OP, _KEYVAL.
  [[nodiscard]] inline int check_comm(MPI_Comm comm, const char* name);
  [[nodiscard]] inline int check_comm_or_null(MPI_Comm comm, const char* name);
  [[nodiscard]] inline int check_win(MPI_Win win, const char* name);
  [[nodiscard]] inline int check_win_or_null(MPI_Win win, const char* name);  ///< MPI_WIN_NULL has a name
  [[nodiscard]] inline int check_file(MPI_File file, const char* name,
                                      NullHandle null);  ///< MPI_FILE_NULL has handlers
  [[nodiscard]] inline int check_session(MPI_Session session, const char* name);
  [[nodiscard]] inline int check_group(MPI_Group group, const char* name);
  [[nodiscard]] inline int check_info(MPI_Info info, const char* name, NullHandle null);
  [[nodiscard]] inline int check_errhandler(MPI_Errhandler errhandler, const char* name);
  [[nodiscard]] inline int check_keyval(int keyval, const char* name, KeyvalKind kind);
  [[nodiscard]] inline int check_datatype(MPI_Datatype datatype, const char* name);  ///< valid, committed or not
  [[nodiscard]] inline int check_datatype_or_null(MPI_Datatype datatype, const char* name);
  [[nodiscard]] inline int check_committed(MPI_Datatype datatype, const char* name);  ///< ready to communicate
  /// Valid, and for a predefined operation defined on the datatype.
  [[nodiscard]] inline int check_op(MPI_Op op, MPI_Datatype datatype, const char* name);
  [[nodiscard]] inline int check_op_handle(MPI_Op op, const char* name);  ///< valid, whatever it works on
  [[nodiscard]] inline int check_request(MPI_Request request, const char* name, NullHandle null);
  [[nodiscard]] inline int check_message(MPI_Message message, const char* name);  ///< also MPI_MESSAGE_NO_PROC

  // Arrays of handles: the pointer (unless length is 0) and each element.
  [[nodiscard]] inline int check_requests(int length, const MPI_Request* requests, const char* name, NullHandle null);
  [[nodiscard]] inline int check_datatypes(MPI_Count length, const MPI_Datatype* types, const char* name);
  /// The datatypes of a w-collective: one for each rank of the (remote) group, committed.
  [[nodiscard]] inline int check_committed_each(MPI_Comm comm, const MPI_Datatype* types, const char* name);

  // Numbers. MPI_ERR_COUNT, MPI_ERR_ARG, MPI_ERR_RANK, MPI_ERR_ROOT, MPI_ERR_TAG.
  [[nodiscard]] inline int check_count(MPI_Count count, const char* name);
  [[nodiscard]] inline int check_not_negative(MPI_Count value, const char* name);  ///< MPI_ERR_ARG
  [[nodiscard]] inline int check_positive(MPI_Count value, const char* name);      ///< MPI_ERR_ARG
  /// Ranks are those of the remote group on an intercommunicator.
  [[nodiscard]] inline int check_rank(MPI_Comm comm, int rank, const char* name, RankKind kind);
  /// Also MPI_ROOT and MPI_PROC_NULL on an intercommunicator.
  [[nodiscard]] inline int check_root(MPI_Comm comm, int root, const char* name);
  [[nodiscard]] inline int check_tag(int tag, const char* name, TagKind kind);
  /// The counts of a v-collective: given, and one for each rank of the (remote) group, not negative.
  [[nodiscard]] inline int check_counts(MPI_Comm comm, const Counts& counts, const char* name);
  /// The counts of a reduce_scatter: one for each rank of the local group.
  [[nodiscard]] inline int check_local_counts(MPI_Comm comm, const Counts& counts, const char* name);
  /// The displacements of a v-collective: given.
  [[nodiscard]] inline int check_displs(const Displs& displs, const char* name);

  /// The blocks of a neighbourhood collective, one for each neighbour of the side. MPI_ERR_TOPOLOGY.
  [[nodiscard]] int check_neighbor_counts(MPI_Comm comm, const Displs& displs, const Counts& counts, const char* name,
                                          NeighborSide side);
  /// Whether there is anybody on that side; nobody where there is no topology.
  [[nodiscard]] bool has_neighbors(MPI_Comm comm, NeighborSide side) const;
  [[nodiscard]] int check_neighbor_types(MPI_Comm comm, const MPI_Datatype* types, const char* name, NeighborSide side);

  // Pointers. MPI_ERR_ARG, MPI_ERR_BUFFER.
  [[nodiscard]] inline int check_pointer(const void* pointer, const char* name);
  [[nodiscard]] inline int check_array(MPI_Count length, const void* array,
                                       const char* name);  ///< length 0: any pointer
  /// A null buffer is refused when something would be read or written at it: count above 0 and a datatype that is not
  /// laid out at absolute addresses. MPI_BOTTOM is the null pointer.
  [[nodiscard]] inline int check_buffer(const void* buffer, MPI_Count count, MPI_Datatype datatype, const char* name);
  /// MPI_IN_PLACE where the call does not know it.
  [[nodiscard]] inline int check_not_in_place(const void* buffer, const char* name);

  // Which arguments of a rooted collective count here. An intracommunicator's root is a rank, an intercommunicator's
  // root group says MPI_ROOT or MPI_PROC_NULL.
  [[nodiscard]] inline bool at_root(MPI_Comm comm, int root) const;
  [[nodiscard]] inline bool contributes(MPI_Comm comm, int root) const;
  [[nodiscard]] inline bool takes_part(MPI_Comm comm, int root) const;
  [[nodiscard]] inline bool is_intercomm(MPI_Comm comm) const;

  /// Notes MPI_ERR_UNSUPPORTED_OPERATION: this version of Starling does not provide the function.

  /// Adds the text of the call to the noted failure and passes it to the owner's error handler; when the owner is not a
  /// valid handle, to MPI_COMM_SELF's. Returns the code for the caller.
  template <typename Owner, typename Describe>
  [[gnu::cold, gnu::noinline]] int report(int code, Owner owner, Describe describe) {
    CallText text(function_name(function_));
    describe(text);
    return raise(code, owner, std::move(text).finish());
  }

 private:
  static inline int check_each_count(std::int32_t size, const Counts& counts, const char* name);

  /// Which lock the call holds: the world's, or, for a call outside the world's life, the context's.
  enum class Held : std::uint8_t { kNothing, kWorld, kAnytime };
  [[gnu::cold]] int enter_outside();
  void leave() noexcept;

  int raise(int code, std::nullptr_t no_owner, std::string call_text);
  int raise(int code, MPI_Comm owner, std::string call_text);
  int raise(int code, MPI_Win owner, std::string call_text);
  int raise(int code, MPI_File owner, std::string call_text);
  int raise(int code, MPI_Session owner, std::string call_text);
  int raise(int code, MPI_Errhandler owner, std::string call_text);

  Function function_;
  When when_;
  Held held_ = Held::kNothing;
};

}  // namespace starling::mpi
