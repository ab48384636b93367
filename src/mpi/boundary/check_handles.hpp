// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Whether handles are alive and fit for the call: the fast half of these checks, which every call runs.
//
// Each returns MPI_SUCCESS, or notes the failure (fail.hpp) and returns its class: MPI_ERR_COMM, _WIN, _FILE, _SESSION,
// _GROUP, _INFO, _ERRHANDLER, _TYPE, _OP, _REQUEST. `name` is the parameter that a message blames.
// Thread safety: the holder of the world's lock. Invariants: a check that succeeds has read only the context of the
// calling thread.
#pragma once

#include <mpi.h>

#include "mpi/boundary/check_arguments.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/refusals.hpp"

namespace starling::mpi {

[[nodiscard, gnu::always_inline]] inline int check_comm(MPI_Comm comm, const char* name) {
  return current()->comm(comm) != nullptr ? MPI_SUCCESS : internal::refuse_comm(comm, name);
}
[[nodiscard]] inline int check_comm_or_null(MPI_Comm comm, const char* name) {
  return comm == MPI_COMM_NULL ? MPI_SUCCESS : check_comm(comm, name);
}
[[nodiscard]] inline int check_win(MPI_Win win, const char* name) {
  return current()->wins.find(win) != nullptr ? MPI_SUCCESS : internal::refuse_win(win, name);
}
/// MPI_WIN_NULL has a name.
[[nodiscard]] inline int check_win_or_null(MPI_Win win, const char* name) {
  return win == MPI_WIN_NULL ? MPI_SUCCESS : check_win(win, name);
}
/// MPI_FILE_NULL has error handlers.
[[nodiscard]] inline int check_file(MPI_File file, const char* name, NullHandle null) {
  if (file == MPI_FILE_NULL && null == NullHandle::kAccepted) return MPI_SUCCESS;
  return current()->files.find(file) != nullptr ? MPI_SUCCESS : internal::refuse_file(file, name);
}
[[nodiscard]] inline int check_info(MPI_Info info, const char* name, NullHandle null) {
  if (info == MPI_INFO_NULL && null == NullHandle::kAccepted) return MPI_SUCCESS;
  const bool good = info == MPI_INFO_ENV || current()->infos.find(info) != nullptr;
  return good ? MPI_SUCCESS : internal::refuse_info(info, name);
}
[[nodiscard]] inline int check_session(MPI_Session session, const char* name) {
  return current()->session(session) != nullptr ? MPI_SUCCESS : internal::refuse_session(session, name);
}
[[nodiscard]] inline int check_group(MPI_Group group, const char* name) {
  return current()->group(group) != nullptr ? MPI_SUCCESS : internal::refuse_group(group, name);
}
[[nodiscard]] inline int check_errhandler(MPI_Errhandler errhandler, const char* name) {
  if (errhandler == MPI_ERRORS_ARE_FATAL || errhandler == MPI_ERRORS_ABORT || errhandler == MPI_ERRORS_RETURN ||
      current()->errhandlers.find(errhandler) != nullptr) {
    return MPI_SUCCESS;
  }
  return internal::refuse_errhandler(errhandler, name);
}
/// Valid, committed or not.
[[nodiscard]] inline int check_datatype(MPI_Datatype datatype, const char* name) {
  return current()->datatype(datatype) != nullptr ? MPI_SUCCESS : internal::refuse_datatype(datatype, name);
}
[[nodiscard]] inline int check_datatype_or_null(MPI_Datatype datatype, const char* name) {
  return datatype == MPI_DATATYPE_NULL ? MPI_SUCCESS : check_datatype(datatype, name);
}
/// Ready to communicate.
[[nodiscard, gnu::always_inline]] inline int check_committed(MPI_Datatype datatype, const char* name) {
  const datatype::Datatype* type = current()->datatype(datatype);
  if (type != nullptr && type->committed()) [[likely]]
    return MPI_SUCCESS;
  return internal::refuse_datatype(datatype, name);
}
/// Valid, and for a predefined operation defined on the datatype.
[[nodiscard]] inline int check_op(MPI_Op op, MPI_Datatype datatype, const char* name) {
  const datatype::Op* operation = current()->op(op);
  if (operation == nullptr) return internal::refuse_op(op, name);
  const datatype::Datatype* type = current()->datatype(datatype);
  if (type != nullptr && datatype::valid(*operation, *type) && !operation->is_for_rma_only()) [[likely]] {
    return MPI_SUCCESS;
  }
  return internal::refuse_op_on(op, datatype);
}
/// Valid, whatever it works on.
[[nodiscard]] inline int check_op_handle(MPI_Op op, const char* name) {
  return current()->op(op) != nullptr ? MPI_SUCCESS : internal::refuse_op(op, name);
}
[[nodiscard]] inline int check_request(MPI_Request request, const char* name, NullHandle null) {
  if (current()->request(request) != nullptr) [[likely]]
    return MPI_SUCCESS;
  if (request == MPI_REQUEST_NULL && null == NullHandle::kAccepted) return MPI_SUCCESS;
  return internal::refuse_request(request, name);
}
/// Also MPI_MESSAGE_NO_PROC.
[[nodiscard]] inline int check_message(MPI_Message message, const char* name) {
  if (message == MPI_MESSAGE_NO_PROC || current()->messages.find(message) != nullptr) return MPI_SUCCESS;
  return internal::refuse_message(message, name);
}

// Arrays of handles: the pointer (unless length is 0) and each element.
[[nodiscard]] inline int check_requests(int length, const MPI_Request* requests, const char* name, NullHandle null) {
  if (const int rc = check_array(length, requests, name)) return rc;
  Context& context = *current();
  for (int index = 0; index < length; ++index) {
    if (context.request(requests[index]) != nullptr) continue;
    if (requests[index] == MPI_REQUEST_NULL && null == NullHandle::kAccepted) continue;
    return internal::refuse_request_of(index, name);
  }
  return MPI_SUCCESS;
}
[[nodiscard]] inline int check_datatypes(MPI_Count length, const MPI_Datatype* types, const char* name) {
  if (const int rc = check_array(length, types, name)) return rc;
  for (MPI_Count index = 0; index < length; ++index) {
    if (const int rc = check_datatype(types[index], name)) return rc;
  }
  return MPI_SUCCESS;
}
/// The datatypes of a w-collective: one for each rank of the (remote) group, committed.
[[nodiscard]] inline int check_committed_each(MPI_Comm comm, const MPI_Datatype* types, const char* name) {
  if (types == nullptr) return internal::refuse_null(name);
  const std::int32_t size = current()->comm(comm)->comm->addressed_size();
  for (std::int32_t rank = 0; rank < size; ++rank) {
    if (const int rc = check_committed(types[rank], name)) return rc;
  }
  return MPI_SUCCESS;
}

}  // namespace starling::mpi
