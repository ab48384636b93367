// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/boundary/refusals.hpp"

#include <string>

#include "base/format.hpp"
#include "datatype/pack/pack.hpp"
#include "mpi/boundary/context.hpp"
#include "mpi/boundary/fail.hpp"

namespace starling::mpi::internal {
namespace {

int refuse(ErrorClass error_class, std::string message) { return fail(Status::error(error_class, std::move(message))); }
int refuse(int error_class, std::string message) {
  return refuse(static_cast<ErrorClass>(error_class), std::move(message));
}

/// "datatype is MPI_DATATYPE_NULL" and so on, or that the handle is freed or was never one.
template <typename Handle>
std::string dead_handle(Handle* handle, Handle* null, const char* null_name, const char* name, const char* what) {
  if (handle == null) return formatted("{} is {}; pass the handle of a live {}", name, null_name, what);
  if (handle == nullptr) return formatted("{} is a null pointer, which is no handle; set it before the call", name);
  return formatted("{} is not the handle of a live {}; it was freed, or never set", name, what);
}

}  // namespace

int refuse_comm(MPI_Comm comm, const char* name) {
  return refuse(ErrorClass::kComm, dead_handle(comm, MPI_COMM_NULL, "MPI_COMM_NULL", name, "communicator"));
}
int refuse_win(MPI_Win win, const char* name) {
  return refuse(MPI_ERR_WIN, dead_handle(win, MPI_WIN_NULL, "MPI_WIN_NULL", name, "window"));
}
int refuse_file(MPI_File file, const char* name) {
  return refuse(MPI_ERR_FILE, dead_handle(file, MPI_FILE_NULL, "MPI_FILE_NULL", name, "file"));
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
int refuse_datatype(MPI_Datatype datatype, const char* name) {
  if (current()->datatype(datatype) != nullptr) {
    return refuse(ErrorClass::kType, formatted("{} is not committed; call MPI_Type_commit before communicating", name));
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
                  formatted("{} is for one-sided communication, not for reductions", operation.name()));
  }
  Status why = datatype::check(operation, *type);
  return fail(std::move(why));
}
int refuse_request(MPI_Request request, const char* name) {
  return refuse(ErrorClass::kRequest, dead_handle(request, MPI_REQUEST_NULL, "MPI_REQUEST_NULL", name, "request"));
}
int refuse_request_of(int index, const char* name) {
  return refuse(
      ErrorClass::kRequest,
      formatted("{}[{}] is not the handle of a live request; it was completed or freed, or never set", name, index));
}
int refuse_message(MPI_Message message, const char* name) {
  return refuse(ErrorClass::kRequest, dead_handle(message, MPI_MESSAGE_NULL, "MPI_MESSAGE_NULL", name, "message"));
}

int refuse_count(MPI_Count count, const char* name) {
  if (count < 0) return refuse(ErrorClass::kCount, formatted("{} is negative; it must be 0 or more", name));
  return refuse(ErrorClass::kCount, formatted("{} is too large", name));
}
int refuse_negative(MPI_Count value, const char* name) {
  return refuse(ErrorClass::kArg, formatted("{} is {}; it must be 0 or more", name, value));
}
int refuse_not_positive(MPI_Count value, const char* name) {
  return refuse(ErrorClass::kArg, formatted("{} is {}; it must be 1 or more", name, value));
}
int refuse_count_of(MPI_Count index, MPI_Count count, const char* name) {
  return refuse(ErrorClass::kCount, formatted("{}[{}] is {}; it must be 0 or more", name, index, count));
}
int refuse_tag(int tag, const char* name, TagKind kind) {
  if (tag == MPI_ANY_TAG) {
    return refuse(ErrorClass::kTag, formatted("{} is MPI_ANY_TAG; a send needs a tag of 0 or more", name));
  }
  const char* also = kind == TagKind::kReceive ? ", or MPI_ANY_TAG" : "";
  return refuse(ErrorClass::kTag, formatted("{} is {}; it must be 0 or more{}", name, tag, also));
}
int refuse_root(int root, const comm::Communicator& comm, const char* name) {
  const int last = comm.addressed_size() - 1;
  if (!comm.is_inter()) {
    return refuse(ErrorClass::kRoot, formatted("{} is {}; the communicator has ranks 0 to {}", name, root, last));
  }
  return refuse(ErrorClass::kRoot, formatted("{} is {}; the remote group has ranks 0 to {}; the root itself passes "
                                             "MPI_ROOT, and the others of its group pass MPI_PROC_NULL",
                                             name, root, last));
}
int refuse_null(const char* name) {
  return refuse(ErrorClass::kArg, formatted("{} is a null pointer; pass the address of a variable", name));
}
int refuse_counts(const char* name) {
  return refuse(ErrorClass::kArg,
                formatted("{} is a null pointer; pass an array with one element for each rank", name));
}

int check_special_rank(int size, int rank, const char* name, RankKind kind) {
  if (rank == MPI_PROC_NULL && kind != RankKind::kMember) return MPI_SUCCESS;
  if (rank == MPI_ANY_SOURCE && kind == RankKind::kSource) return MPI_SUCCESS;
  const std::string value = rank == MPI_ANY_SOURCE  ? "MPI_ANY_SOURCE"
                            : rank == MPI_PROC_NULL ? "MPI_PROC_NULL"
                                                    : std::to_string(rank);
  const char* also = kind == RankKind::kDestination ? ", and MPI_PROC_NULL is allowed"
                     : kind == RankKind::kSource    ? ", and MPI_ANY_SOURCE and MPI_PROC_NULL are allowed"
                                                    : "";
  return refuse(ErrorClass::kRank,
                formatted("{} is {}; the communicator has ranks 0 to {}{}", name, value, size - 1, also));
}

int check_special_buffer(const void* buffer, MPI_Count count, MPI_Datatype datatype, const char* name) {
  if (buffer == MPI_IN_PLACE || buffer == MPI_BUFFER_AUTOMATIC) {
    return refuse(ErrorClass::kBuffer, formatted("{} is {}, which has no meaning here; pass the address of data", name,
                                                 buffer == MPI_IN_PLACE ? "MPI_IN_PLACE" : "MPI_BUFFER_AUTOMATIC"));
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
  return refuse(ErrorClass::kBuffer,
                formatted("{} is a null pointer, but there are {} elements to transfer; pass the address of the data",
                          name, count));
}

}  // namespace starling::mpi::internal
