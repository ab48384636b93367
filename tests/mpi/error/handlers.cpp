// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Error handlers, classes, codes and strings (MPI-5.0, 9.3 to 9.5).
#include <cstring>
#include <string>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// What the handler saw last. Ranks may be threads, so each has its own.
struct Seen {
  int calls = 0;
  int code = MPI_SUCCESS;
  MPI_Comm comm = MPI_COMM_NULL;
};
thread_local Seen seen;

void note(MPI_Comm* comm, int* code, ...) {  // NOLINT(cert-dcl50-cpp): the signature is the standard's
  seen.calls += 1;
  seen.code = *code;
  seen.comm = *comm;
}

int wrong_send(MPI_Comm comm) {
  int value = 0;
  return MPI_Send(&value, 1, MPI_INT, 1 << 20, 1, comm);
}

MPI_CASE("a user's handler is called with communicator and code", 1, 4) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  seen = {};
  const int code = wrong_send(comm);
  CHECK_EQ(seen.calls, 1);
  CHECK(seen.comm == comm);
  CHECK_EQ(seen.code, code);
  CHECK_EQ(class_of(code), MPI_ERR_RANK);

  // A freed handler stays with the communicators that have it, and their duplicates inherit it.
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  wrong_send(copy);
  CHECK_EQ(seen.calls, 2);
  CHECK(seen.comm == copy);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
}

void forgive(MPI_Comm* /*comm*/, int* code, ...) {  // NOLINT(cert-dcl50-cpp): the signature is the standard's
  *code = MPI_SUCCESS;
}

/// What a call that completes several operations does when one of two receives is too short: the handler and the caller
/// hear of it in their own terms, and so does a call of MPI_Error_string with either code.
template <typename Complete>
void check_in_status(Context& world, const Complete& complete) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  int values[4] = {};
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(values, 1, MPI_INT, 0, 1, comm, &requests[0]);
  MPI_Irecv(values, 1, MPI_INT, 0, 2, comm, &requests[1]);
  MPI_Send(values + 2, 1, MPI_INT, 0, 1, comm);
  MPI_Send(values + 2, 2, MPI_INT, 0, 2, comm);
  seen = {};
  const int code = complete(requests);
  CHECK_EQ(class_of(code), MPI_ERR_IN_STATUS);
  CHECK_EQ(seen.calls, 1);
  CHECK(seen.comm == comm);
  CHECK(refused_as(seen.code, MPI_ERR_TRUNCATE));
#ifdef MPI_ABI_VERSION
  CHECK(text_of(seen.code).find("operation 1 failed") != std::string::npos);
  CHECK_EQ(text_of(code), text_of(seen.code));
#endif
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

MPI_CASE("where several operations complete the handler gets the code of the one that failed", 1, 2) {
  MPI_Status statuses[2];
  int indices[2];
  int count = 0;
  int flag = 0;
  check_in_status(world, [&](MPI_Request* requests) { return MPI_Waitall(2, requests, statuses); });
  CHECK_EQ(class_of(statuses[0].MPI_ERROR), MPI_SUCCESS);
  CHECK_EQ(class_of(statuses[1].MPI_ERROR), MPI_ERR_TRUNCATE);
  check_in_status(world, [&](MPI_Request* requests) { return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); });
  check_in_status(world, [&](MPI_Request* requests) {
    int code = MPI_SUCCESS;
    for (flag = 0; flag == 0;) code = MPI_Testall(2, requests, &flag, statuses);
    return code;
  });
  check_in_status(world, [&](MPI_Request* requests) {
    int code = MPI_SUCCESS;
    for (int done = 0; done < 2; done += count) code = MPI_Waitsome(2, requests, &count, indices, statuses);
    return code;
  });
  check_in_status(world, [&](MPI_Request* requests) {
    int code = MPI_SUCCESS;
    for (int done = 0; done < 2; done += count) code = MPI_Testsome(2, requests, &count, indices, statuses);
    return code;
  });
}

MPI_CASE("a call returns the code that the handler leaves", 1, 2) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(forgive, &handler);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  CHECK_EQ(wrong_send(comm), MPI_SUCCESS);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

MPI_CASE("MPI_Waitall returns the code that the handler leaves", 1, 2) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(forgive, &handler);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  int values[3] = {};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(values, 1, MPI_INT, world.rank, 1, comm, &request);
  MPI_Send(values + 1, 2, MPI_INT, world.rank, 1, comm);
  CHECK_EQ(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

MPI_CASE("handlers are set, read and compared", 1, 2) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);
  CHECK_EQ(class_of(wrong_send(comm)), MPI_ERR_RANK);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

MPI_CASE("MPI_Comm_call_errhandler calls the handler", 1, 2) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  seen = {};
  MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  CHECK_EQ(seen.calls, 1);
  CHECK_EQ(class_of(seen.code), MPI_ERR_OTHER);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

MPI_CASE("the failure of a request goes to its communicator's handler", 2, 2) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world.comm, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  int values[4] = {};
  seen = {};
  if (world.rank == 0) {
    MPI_Send(values, 4, MPI_INT, 1, 1, comm);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(values, 2, MPI_INT, 0, 1, comm, &request);
    CHECK_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
    CHECK_EQ(seen.calls, 1);
    CHECK(seen.comm == comm);
  }
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&handler);
}

MPI_CASE("every class has a text of its own", 1, 1) {
  int last = 0;
  for (const int error_class :
       {MPI_SUCCESS, MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK, MPI_ERR_ROOT,
        MPI_ERR_GROUP, MPI_ERR_OP, MPI_ERR_TRUNCATE, MPI_ERR_OTHER}) {
    CHECK_EQ(class_of(error_class), error_class);
    CHECK(text_of(error_class).size() > 3);
    if (error_class != MPI_SUCCESS) CHECK(text_of(error_class) != text_of(last));
    last = error_class;
  }
}

MPI_CASE("users add classes, codes and texts", 1, 2) {
  int error_class = -1;
  int code = -1;
  MPI_Add_error_class(&error_class);
  MPI_Add_error_code(error_class, &code);
  CHECK(error_class > MPI_ERR_LASTCODE);
  CHECK_EQ(class_of(code), error_class);
  CHECK_EQ(class_of(error_class), error_class);
  CHECK_EQ(text_of(code), "");
  MPI_Add_error_string(code, "the grid has a hole");
  CHECK_EQ(text_of(code), "the grid has a hole");
  int* last = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &found);
  CHECK(found && *last >= error_class);
}

#if MPI_VERSION >= 5
MPI_CASE("users remove the classes, codes and texts that they added, and no others", 1, 2) {
  const ReturnErrors quiet;
  int error_class = -1;
  int code = -1;
  MPI_Add_error_class(&error_class);
  MPI_Add_error_code(error_class, &code);
  MPI_Add_error_string(code, "the grid has a hole");
  CHECK(MPI_Remove_error_class(error_class) != MPI_SUCCESS);  // a code of it is there
  CHECK_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
  CHECK_EQ(text_of(code), "");
  CHECK_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
  CHECK(MPI_Remove_error_class(error_class) != MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(MPI_ERR_TAG) != MPI_SUCCESS);
  CHECK(MPI_Remove_error_class(MPI_ERR_TAG) != MPI_SUCCESS);
}
#endif

}  // namespace
}  // namespace starling::tests
