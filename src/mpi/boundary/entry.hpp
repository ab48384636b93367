// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The fast half of Call (checks.hpp): what every call runs when nothing is wrong. The slow half, which finds the words
// for what is wrong, stands in refusals.cpp and is never inlined. What nearly every call runs is inlined always: GCC
// stops doing so by itself where it reads many files as one (STARLING_TOGETHER), and the shortest calls feel it.
//
// Thread safety: see Call. Invariants: a check that succeeds has read only the context of the calling thread.
#pragma once

#include <mpi-ext.h>

#include <cstdint>
#include <limits>

#include "mpi/boundary/checks.hpp"
#include "mpi/boundary/context.hpp"

namespace starling::mpi {

/// Whether the boundary checks the arguments of a call; the build option STARLING_CHECKS turns it off for programs that
/// are known to pass none that are wrong.
#ifdef STARLING_UNCHECKED
inline constexpr bool kChecked = false;
#else
inline constexpr bool kChecked = true;
#endif

namespace internal {

/// How many MPI calls of this thread are inside each other: user callbacks may call MPI while the lock is held.
extern thread_local constinit int call_depth [[gnu::tls_model("initial-exec")]];

/// Out of line: what stands behind a file is known to few.
[[nodiscard]] bool is_open_file(MPI_File file);

// Each notes the failure and returns its code.
[[gnu::cold]] int refuse_comm(MPI_Comm comm, const char* name);
[[gnu::cold]] int refuse_win(MPI_Win win, const char* name);
[[gnu::cold]] int refuse_file(MPI_File file, const char* name);
[[gnu::cold]] int refuse_session(MPI_Session session, const char* name);
[[gnu::cold]] int refuse_group(MPI_Group group, const char* name);
[[gnu::cold]] int refuse_info(MPI_Info info, const char* name);
[[gnu::cold]] int refuse_errhandler(MPI_Errhandler errhandler, const char* name);
[[gnu::cold]] int refuse_keyval(int keyval, const char* name, KeyvalKind kind);
[[gnu::cold]] int refuse_datatype(MPI_Datatype datatype, const char* name);
[[gnu::cold]] int refuse_op(MPI_Op op, const char* name);
[[gnu::cold]] int refuse_op_on(MPI_Op op, MPI_Datatype datatype);
[[gnu::cold]] int refuse_request(MPI_Request request, const char* name);
[[gnu::cold]] int refuse_request_of(int index, const char* name);
[[gnu::cold]] int refuse_message(MPI_Message message, const char* name);
[[gnu::cold]] int refuse_count(MPI_Count count, const char* name);
[[gnu::cold]] int refuse_negative(MPI_Count value, const char* name);
[[gnu::cold]] int refuse_not_positive(MPI_Count value, const char* name);
[[gnu::cold]] int refuse_count_of(MPI_Count index, MPI_Count count, const char* name);
[[gnu::cold]] int refuse_tag(int tag, const char* name, TagKind kind);
[[gnu::cold]] int refuse_root(int root, const comm::Communicator& comm, const char* name);
[[gnu::cold]] int refuse_null(const char* name);
[[gnu::cold]] int refuse_counts(const char* name);
/// The wildcards and MPI_PROC_NULL, or a refusal.
[[gnu::cold]] int check_special_rank(int size, int rank, const char* name, RankKind kind);
/// MPI_BOTTOM, sentinels and very large counts, or a refusal.
[[gnu::cold]] int check_special_buffer(const void* buffer, MPI_Count count, MPI_Datatype datatype, const char* name);

[[nodiscard]] inline bool is_predefined_keyval(int keyval, KeyvalKind kind) noexcept {
  if (kind == KeyvalKind::kWin) return keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL;
  return kind == KeyvalKind::kComm && keyval >= MPI_TAG_UB && keyval <= MPIX_FT;
}

}  // namespace internal

inline Call::Call(Function function, When when) noexcept : function_(function), when_(when) {}

[[gnu::always_inline]] inline int Call::enter() {
  if (when_ != When::kInside) return enter_outside();
  Context* context = current();
  if (context == nullptr || !context->running) [[unlikely]]
    return enter_outside();
  if (context->threaded) [[unlikely]] {
    if (internal::call_depth++ == 0) context->progress->lock();
    held_ = Held::kWorld;
  }
  // Relaxed: the card is a hint for readers.
  observe::StatusCard& card = *context->card;
  card.call.store(static_cast<std::uint32_t>(function_), std::memory_order_relaxed);
  card.calls.store(card.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

inline Call::~Call() {
  current()->card->call.store(0, std::memory_order_relaxed);
  if (held_ != Held::kNothing) [[unlikely]]
    leave();
}

[[gnu::always_inline]] inline int Call::check_comm(MPI_Comm comm, const char* name) {
  return current()->comm(comm) != nullptr ? MPI_SUCCESS : internal::refuse_comm(comm, name);
}
inline int Call::check_comm_or_null(MPI_Comm comm, const char* name) {
  return comm == MPI_COMM_NULL ? MPI_SUCCESS : check_comm(comm, name);
}
inline int Call::check_win(MPI_Win win, const char* name) {
  return current()->win(win) != nullptr ? MPI_SUCCESS : internal::refuse_win(win, name);
}
inline int Call::check_win_or_null(MPI_Win win, const char* name) {
  return win == MPI_WIN_NULL ? MPI_SUCCESS : check_win(win, name);
}
inline int Call::check_file(MPI_File file, const char* name, NullHandle null) {
  if (file == MPI_FILE_NULL && null == NullHandle::kAccepted) return MPI_SUCCESS;
  return internal::is_open_file(file) ? MPI_SUCCESS : internal::refuse_file(file, name);
}
inline int Call::check_session(MPI_Session session, const char* name) {
  return current()->session(session) != nullptr ? MPI_SUCCESS : internal::refuse_session(session, name);
}
inline int Call::check_group(MPI_Group group, const char* name) {
  return current()->group(group) != nullptr ? MPI_SUCCESS : internal::refuse_group(group, name);
}
inline int Call::check_info(MPI_Info info, const char* name, NullHandle null) {
  if (info == MPI_INFO_NULL && null == NullHandle::kAccepted) return MPI_SUCCESS;
  return current()->info(info) != nullptr ? MPI_SUCCESS : internal::refuse_info(info, name);
}
inline int Call::check_errhandler(MPI_Errhandler errhandler, const char* name) {
  if (errhandler == MPI_ERRORS_ARE_FATAL || errhandler == MPI_ERRORS_ABORT || errhandler == MPI_ERRORS_RETURN ||
      current()->errhandlers.find(errhandler) != nullptr) {
    return MPI_SUCCESS;
  }
  return internal::refuse_errhandler(errhandler, name);
}
inline int Call::check_keyval(int keyval, const char* name, KeyvalKind kind) {
  if (internal::is_predefined_keyval(keyval, kind) || current()->keyvals.find(keyval, kind) != nullptr) {
    return MPI_SUCCESS;
  }
  return internal::refuse_keyval(keyval, name, kind);
}
inline int Call::check_datatype(MPI_Datatype datatype, const char* name) {
  return current()->datatype(datatype) != nullptr ? MPI_SUCCESS : internal::refuse_datatype(datatype, name);
}
inline int Call::check_datatype_or_null(MPI_Datatype datatype, const char* name) {
  return datatype == MPI_DATATYPE_NULL ? MPI_SUCCESS : check_datatype(datatype, name);
}
[[gnu::always_inline]] inline int Call::check_committed(MPI_Datatype datatype, const char* name) {
  const datatype::Datatype* type = current()->datatype(datatype);
  if (type != nullptr && type->committed()) [[likely]]
    return MPI_SUCCESS;
  return internal::refuse_datatype(datatype, name);
}
inline int Call::check_op(MPI_Op op, MPI_Datatype datatype, const char* name) {
  const datatype::Op* operation = current()->op(op);
  if (operation == nullptr) return internal::refuse_op(op, name);
  const datatype::Datatype* type = current()->datatype(datatype);
  if (!operation->is_for_rma_only() && type != nullptr && datatype::valid(*operation, *type)) [[likely]] {
    return MPI_SUCCESS;
  }
  return internal::refuse_op_on(op, datatype);
}
inline int Call::check_op_handle(MPI_Op op, const char* name) {
  return current()->op(op) != nullptr ? MPI_SUCCESS : internal::refuse_op(op, name);
}
inline int Call::check_request(MPI_Request request, const char* name, NullHandle null) {
  if (current()->request(request) != nullptr) [[likely]]
    return MPI_SUCCESS;
  if (request == MPI_REQUEST_NULL && null == NullHandle::kAccepted) return MPI_SUCCESS;
  return internal::refuse_request(request, name);
}
inline int Call::check_message(MPI_Message message, const char* name) {
  if (message == MPI_MESSAGE_NO_PROC || current()->messages.find(message) != nullptr) return MPI_SUCCESS;
  return internal::refuse_message(message, name);
}

inline int Call::check_requests(int length, const MPI_Request* requests, const char* name, NullHandle null) {
  if (const int rc = check_array(length, requests, name)) return rc;
  Context& context = *current();
  for (int index = 0; index < length; ++index) {
    if (context.request(requests[index]) != nullptr) continue;
    if (requests[index] == MPI_REQUEST_NULL && null == NullHandle::kAccepted) continue;
    return internal::refuse_request_of(index, name);
  }
  return MPI_SUCCESS;
}
inline int Call::check_datatypes(MPI_Count length, const MPI_Datatype* types, const char* name) {
  if (const int rc = check_array(length, types, name)) return rc;
  for (MPI_Count index = 0; index < length; ++index) {
    if (const int rc = check_datatype(types[index], name)) return rc;
  }
  return MPI_SUCCESS;
}
inline int Call::check_committed_each(MPI_Comm comm, const MPI_Datatype* types, const char* name) {
  if (types == nullptr) return internal::refuse_null(name);
  const std::int32_t size = current()->comm(comm)->comm->addressed_size();
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (const int rc = check_committed(types[rank], name)) return rc;
  }
  return MPI_SUCCESS;
}

inline int Call::check_count(MPI_Count count, const char* name) {
  return count >= 0 ? MPI_SUCCESS : internal::refuse_count(count, name);
}
inline int Call::check_not_negative(MPI_Count value, const char* name) {
  return value >= 0 ? MPI_SUCCESS : internal::refuse_negative(value, name);
}
inline int Call::check_positive(MPI_Count value, const char* name) {
  return value > 0 ? MPI_SUCCESS : internal::refuse_not_positive(value, name);
}
[[gnu::always_inline]] inline int Call::check_rank(MPI_Comm comm, int rank, const char* name, RankKind kind) {
  const std::int32_t size = current()->comm(comm)->comm->addressed_size();
  if (static_cast<std::uint32_t>(rank) < static_cast<std::uint32_t>(size)) [[likely]]
    return MPI_SUCCESS;
  return internal::check_special_rank(size, rank, name, kind);
}
inline int Call::check_root(MPI_Comm comm, int root, const char* name) {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  const std::int32_t size = communicator.addressed_size();
  if (static_cast<std::uint32_t>(root) < static_cast<std::uint32_t>(size)) [[likely]]
    return MPI_SUCCESS;
  if (communicator.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL)) return MPI_SUCCESS;
  return internal::refuse_root(root, communicator, name);
}
inline int Call::check_tag(int tag, const char* name, TagKind kind) {
  if (tag >= 0) [[likely]]
    return MPI_SUCCESS;
  if (tag == MPI_ANY_TAG && kind == TagKind::kReceive) return MPI_SUCCESS;
  return internal::refuse_tag(tag, name, kind);
}
inline int Call::check_counts(MPI_Comm comm, const Counts& counts, const char* name) {
  return check_each_count(current()->comm(comm)->comm->addressed_size(), counts, name);
}
inline int Call::check_local_counts(MPI_Comm comm, const Counts& counts, const char* name) {
  return check_each_count(current()->comm(comm)->comm->size(), counts, name);
}
inline int Call::check_each_count(std::int32_t size, const Counts& counts, const char* name) {
  if (!counts.given()) return internal::refuse_counts(name);
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (counts[rank] < 0) [[unlikely]]
      return internal::refuse_count_of(rank, counts[rank], name);
  }
  return MPI_SUCCESS;
}
inline int Call::check_displs(const Displs& displs, const char* name) {
  return displs.given() ? MPI_SUCCESS : internal::refuse_counts(name);
}

inline int Call::check_pointer(const void* pointer, const char* name) {
  return pointer != nullptr ? MPI_SUCCESS : internal::refuse_null(name);
}
inline int Call::check_array(MPI_Count length, const void* array, const char* name) {
  return array != nullptr || length == 0 ? MPI_SUCCESS : internal::refuse_null(name);
}
inline int Call::check_buffer(const void* buffer, MPI_Count count, MPI_Datatype datatype, const char* name) {
  constexpr std::uintptr_t kLastSentinel = 2;  // MPI_BUFFER_AUTOMATIC
  if (reinterpret_cast<std::uintptr_t>(buffer) > kLastSentinel && count <= std::numeric_limits<std::int32_t>::max())
      [[likely]] {
    return MPI_SUCCESS;
  }
  return internal::check_special_buffer(buffer, count, datatype, name);
}
inline int Call::check_not_in_place(const void* buffer, const char* name) {
  return buffer != MPI_IN_PLACE ? MPI_SUCCESS : internal::check_special_buffer(buffer, 0, MPI_BYTE, name);
}

inline bool Call::at_root(MPI_Comm comm, int root) const {
  const comm::Communicator& communicator = *current()->comm(comm)->comm;
  return communicator.is_inter() ? root == MPI_ROOT : communicator.rank() == root;
}
inline bool Call::contributes(MPI_Comm comm, int root) const { return root >= 0 || !is_intercomm(comm); }
inline bool Call::takes_part(MPI_Comm comm, int root) const { return root != MPI_PROC_NULL || !is_intercomm(comm); }
inline bool Call::is_intercomm(MPI_Comm comm) const { return current()->comm(comm)->comm->is_inter(); }

}  // namespace starling::mpi
