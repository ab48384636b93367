// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The words for what is wrong with an argument. Each function notes the failure and returns its code.
#include <string>

#include "datatype/pack/pack.hpp"
#include "mpi/boundary/entry.hpp"

namespace starling::mpi::internal {
namespace {

int refuse(ErrorClass error_class, std::string message) { return fail(Status::error(error_class, std::move(message))); }

/// "datatype is MPI_DATATYPE_NULL" and so on, or that the handle is freed or was never one.
template <typename Handle>
std::string dead_handle(Handle* handle, Handle* null, const char* null_name, const char* name, const char* what) {
  std::string text(name);
  if (handle == null) return text + " is " + null_name + "; pass a live " + what;
  if (handle == nullptr) return text + " is a null pointer, not a handle; was it never set?";
  return text + " is not the handle of a live " + what + "; it was freed, or never set";
}

std::string number(MPI_Count value) { return std::to_string(value); }

}  // namespace

int refuse_comm(MPI_Comm comm, const char* name) {
  return refuse(ErrorClass::kComm, dead_handle(comm, MPI_COMM_NULL, "MPI_COMM_NULL", name, "communicator"));
}
int refuse_win(MPI_Win win, const char* name) {
  return refuse(static_cast<ErrorClass>(MPI_ERR_WIN), dead_handle(win, MPI_WIN_NULL, "MPI_WIN_NULL", name, "window"));
}
int refuse_file(MPI_File file, const char* name) {
  return refuse(static_cast<ErrorClass>(MPI_ERR_FILE), dead_handle(file, MPI_FILE_NULL, "MPI_FILE_NULL", name, "file"));
}
int refuse_session(MPI_Session session, const char* name) {
  return refuse(ErrorClass::kSession, dead_handle(session, MPI_SESSION_NULL, "MPI_SESSION_NULL", name, "session"));
}
int refuse_group(MPI_Group group, const char* name) {
  return refuse(ErrorClass::kGroup, dead_handle(group, MPI_GROUP_NULL, "MPI_GROUP_NULL", name, "group"));
}
int refuse_info(MPI_Info info, const char* name) {
  return refuse(ErrorClass::kInfo, dead_handle(info, MPI_INFO_NULL, "MPI_INFO_NULL", name, "info object"));
}
int refuse_errhandler(MPI_Errhandler errhandler, const char* name) {
  return refuse(ErrorClass::kErrhandler,
                dead_handle(errhandler, MPI_ERRHANDLER_NULL, "MPI_ERRHANDLER_NULL", name, "error handler"));
}
int refuse_keyval(int keyval, const char* name, KeyvalKind kind) {
  const char* what = kind == KeyvalKind::kComm       ? "communicators"
                     : kind == KeyvalKind::kDatatype ? "datatypes"
                                                     : "windows";
  if (keyval == MPI_KEYVAL_INVALID) {
    return refuse(ErrorClass::kKeyval, std::string(name) + " is MPI_KEYVAL_INVALID; create a key first");
  }
  return refuse(ErrorClass::kKeyval,
                std::string(name) + " " + number(keyval) + " is not a live attribute key of " + what);
}

int refuse_datatype(MPI_Datatype datatype, const char* name) {
  if (current()->datatype(datatype) != nullptr) {
    return refuse(ErrorClass::kType,
                  std::string(name) + " is not committed; call MPI_Type_commit before communicating");
  }
  return refuse(ErrorClass::kType, dead_handle(datatype, MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL", name, "datatype"));
}

int refuse_op(MPI_Op op, const char* name) {
  return refuse(ErrorClass::kOp, dead_handle(op, MPI_OP_NULL, "MPI_OP_NULL", name, "reduction operation"));
}
int refuse_op_on(MPI_Op op, MPI_Datatype datatype) {
  const datatype::Op& operation = *current()->op(op);
  const datatype::Datatype* type = current()->datatype(datatype);
  if (type == nullptr) return refuse_datatype(datatype, "datatype");
  if (operation.is_for_rma_only()) {
    return refuse(ErrorClass::kOp,
                  std::string(operation.name()) + " is for one-sided communication, not for reductions");
  }
  Status why = datatype::check(operation, *type);
  return fail(std::move(why));
}

int refuse_request(MPI_Request request, const char* name) {
  return refuse(ErrorClass::kRequest, dead_handle(request, MPI_REQUEST_NULL, "MPI_REQUEST_NULL", name, "request"));
}
int refuse_request_of(int index, const char* name) {
  return refuse(ErrorClass::kRequest, std::string(name) + "[" + std::to_string(index) +
                                          "] is not the handle of a live request; it was completed or freed, or never "
                                          "set");
}
int refuse_message(MPI_Message message, const char* name) {
  return refuse(ErrorClass::kRequest, dead_handle(message, MPI_MESSAGE_NULL, "MPI_MESSAGE_NULL", name, "message"));
}

int refuse_count(MPI_Count count, const char* name) {
  if (count < 0) return refuse(ErrorClass::kCount, std::string(name) + " is negative; it must be 0 or more");
  return refuse(ErrorClass::kCount, std::string(name) + " is too large");
}
int refuse_negative(MPI_Count value, const char* name) {
  return refuse(ErrorClass::kArg, std::string(name) + " is " + number(value) + "; it must be 0 or more");
}
int refuse_not_positive(MPI_Count value, const char* name) {
  return refuse(ErrorClass::kArg, std::string(name) + " is " + number(value) + "; it must be 1 or more");
}
int refuse_count_of(MPI_Count index, MPI_Count count, const char* name) {
  return refuse(ErrorClass::kCount,
                std::string(name) + "[" + number(index) + "] is " + number(count) + "; it must be 0 or more");
}
int refuse_tag(int tag, const char* name, TagKind kind) {
  const std::string text = std::string(name) + " is " + number(tag) + "; it must be 0 or more";
  if (tag == MPI_ANY_TAG)
    return refuse(ErrorClass::kTag, std::string(name) + " is MPI_ANY_TAG; a send needs a real tag");
  return refuse(ErrorClass::kTag, kind == TagKind::kReceive ? text + ", or MPI_ANY_TAG" : text);
}
int refuse_root(int root, const comm::Communicator& comm, const char* name) {
  std::string text = std::string(name) + " is " + number(root) + "; the ";
  text += comm.is_inter() ? "remote group" : "communicator";
  text += " has ranks 0 to " + number(comm.addressed_size() - 1);
  if (comm.is_inter()) text += "; the root itself passes MPI_ROOT, and the others of its group MPI_PROC_NULL";
  return refuse(ErrorClass::kRoot, std::move(text));
}
int refuse_null(const char* name) {
  return refuse(ErrorClass::kArg, std::string(name) + " is a null pointer; pass the address of a variable");
}
int refuse_counts(const char* name) {
  return refuse(ErrorClass::kArg,
                std::string(name) + " is a null pointer; pass an array with one element for each rank");
}

int check_special_rank(int size, int rank, const char* name, RankKind kind) {
  const bool may_be_null = kind != RankKind::kMember;
  if (rank == MPI_PROC_NULL && may_be_null) return MPI_SUCCESS;
  if (rank == MPI_ANY_SOURCE && kind == RankKind::kSource) return MPI_SUCCESS;
  std::string text = std::string(name) + " is ";
  text += rank == MPI_ANY_SOURCE ? "MPI_ANY_SOURCE" : rank == MPI_PROC_NULL ? "MPI_PROC_NULL" : number(rank);
  text += "; the communicator has ranks 0 to " + number(size - 1);
  if (kind == RankKind::kDestination) text += ", and MPI_PROC_NULL is allowed";
  if (kind == RankKind::kSource) text += ", and MPI_ANY_SOURCE and MPI_PROC_NULL are allowed";
  return refuse(ErrorClass::kRank, std::move(text));
}

int check_special_buffer(const void* buffer, MPI_Count count, MPI_Datatype datatype, const char* name) {
  if (buffer == MPI_IN_PLACE || buffer == MPI_BUFFER_AUTOMATIC) {
    return refuse(ErrorClass::kBuffer, std::string(name) + " is " +
                                           (buffer == MPI_IN_PLACE ? "MPI_IN_PLACE" : "MPI_BUFFER_AUTOMATIC") +
                                           ", which has no meaning here; pass the address of data");
  }
  const datatype::Datatype* type = current()->datatype(datatype);
  if (type == nullptr) return refuse_datatype(datatype, "datatype");
  if (Result<std::int64_t> bytes = datatype::packed_bytes(count, *type); !bytes.ok()) {
    return fail(std::move(bytes).status());
  }
  // No program has data in the first pages, so a type whose data begin there is not one of absolute addresses.
  constexpr std::int64_t kLowestAddress = 4096;
  const bool nothing_to_touch = count == 0 || type->size() == 0;
  const bool absolute = type->true_lb() >= kLowestAddress || type->true_lb() <= -kLowestAddress;
  if (buffer != nullptr || nothing_to_touch || absolute) return MPI_SUCCESS;
  return refuse(ErrorClass::kBuffer, std::string(name) + " is a null pointer, but there are " + number(count) +
                                         " elements to transfer; pass the address of the data");
}

}  // namespace starling::mpi::internal
