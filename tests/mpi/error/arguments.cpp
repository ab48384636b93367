// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Wrong arguments: each is answered with the class of the standard, before anything is sent, and by Starling with a
// message that names the call, the argument and what is wrong with it.
#include <functional>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

struct Mistake {
  const char* call;
  const char* argument;
  int error_class;
  std::function<int()> make;
};

[[maybe_unused]] bool says(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

void check_mistakes(Context& world, const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    const int code = mistake.make();
    if (class_of(code) != mistake.error_class) {
      FAIL(std::string(mistake.call) + " with a wrong " + mistake.argument + ": class " +
           std::to_string(class_of(code)) + ", not " + std::to_string(mistake.error_class) + ": " + text_of(code));
    }
#if MPI_VERSION >= 5
    const std::string text = text_of(code);
    if (!says(text, mistake.call) || !says(text, mistake.argument)) {
      FAIL(std::string("the message of ") + mistake.call + " does not name the call and " + mistake.argument + ": " +
           text);
    }
#endif
  }
}

MPI_CASE("sends with wrong arguments", 1, 2) {
  const ReturnErrors quiet;
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_INT, &uncommitted);
  check_mistakes(
      world,
      {{"MPI_Send", "count", MPI_ERR_COUNT, [&] { return MPI_Send(&value, -1, MPI_INT, 0, 1, MPI_COMM_SELF); }},
       {"MPI_Send", "buf", MPI_ERR_BUFFER, [&] { return MPI_Send(nullptr, 1, MPI_INT, 0, 1, MPI_COMM_SELF); }},
       {"MPI_Send", "datatype", MPI_ERR_TYPE,
        [&] { return MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_SELF); }},
       {"MPI_Send", "datatype", MPI_ERR_TYPE, [&] { return MPI_Send(&value, 1, uncommitted, 0, 1, MPI_COMM_SELF); }},
       {"MPI_Send", "dest", MPI_ERR_RANK, [&] { return MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_SELF); }},
       {"MPI_Send", "dest", MPI_ERR_RANK, [&] { return MPI_Send(&value, 1, MPI_INT, -7, 1, MPI_COMM_SELF); }},
       {"MPI_Send", "dest", MPI_ERR_RANK,
        [&] { return MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_SELF); }},
       {"MPI_Send", "tag", MPI_ERR_TAG, [&] { return MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_SELF); }},
       {"MPI_Send", "tag", MPI_ERR_TAG, [&] { return MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF); }},
       {"MPI_Send", "comm", MPI_ERR_COMM, [&] { return MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL); }},
       {"MPI_Ssend", "dest", MPI_ERR_RANK, [&] { return MPI_Ssend(&value, 1, MPI_INT, 9, 1, MPI_COMM_SELF); }},
       {"MPI_Bsend", "tag", MPI_ERR_TAG, [&] { return MPI_Bsend(&value, 1, MPI_INT, 0, -5, MPI_COMM_SELF); }},
       {"MPI_Isend", "count", MPI_ERR_COUNT,
        [&] { return MPI_Isend(&value, -3, MPI_INT, 0, 1, MPI_COMM_SELF, &request); }},
       {"MPI_Send_init", "dest", MPI_ERR_RANK,
        [&] { return MPI_Send_init(&value, 1, MPI_INT, 9, 1, MPI_COMM_SELF, &request); }}});
  MPI_Type_free(&uncommitted);
}

MPI_CASE("receives and probes with wrong arguments", 1, 2) {
  const ReturnErrors quiet;
  int value = 0;
  int flag = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  check_mistakes(
      world,
      {{"MPI_Recv", "count", MPI_ERR_COUNT,
        [&] { return MPI_Recv(&value, -1, MPI_INT, 0, 1, MPI_COMM_SELF, &status); }},
       {"MPI_Recv", "buf", MPI_ERR_BUFFER, [&] { return MPI_Recv(nullptr, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &status); }},
       {"MPI_Recv", "source", MPI_ERR_RANK, [&] { return MPI_Recv(&value, 1, MPI_INT, 4, 1, MPI_COMM_SELF, &status); }},
       {"MPI_Recv", "tag", MPI_ERR_TAG, [&] { return MPI_Recv(&value, 1, MPI_INT, 0, -9, MPI_COMM_SELF, &status); }},
       {"MPI_Recv", "comm", MPI_ERR_COMM, [&] { return MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL, &status); }},
       {"MPI_Irecv", "source", MPI_ERR_RANK,
        [&] { return MPI_Irecv(&value, 1, MPI_INT, -8, 1, MPI_COMM_SELF, &request); }},
       {"MPI_Probe", "source", MPI_ERR_RANK, [&] { return MPI_Probe(5, 1, MPI_COMM_SELF, &status); }},
       {"MPI_Iprobe", "tag", MPI_ERR_TAG, [&] { return MPI_Iprobe(0, -9, MPI_COMM_SELF, &flag, &status); }}});
}

MPI_CASE("collectives with wrong arguments", 1, 2) {
  const ReturnErrors quiet;
  int value = 0;
  int sum = 0;
  check_mistakes(
      world, {{"MPI_Bcast", "count", MPI_ERR_COUNT, [&] { return MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_SELF); }},
              {"MPI_Bcast", "root", MPI_ERR_ROOT, [&] { return MPI_Bcast(&value, 1, MPI_INT, 3, MPI_COMM_SELF); }},
              {"MPI_Bcast", "datatype", MPI_ERR_TYPE,
               [&] { return MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF); }},
              {"MPI_Bcast", "comm", MPI_ERR_COMM, [&] { return MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_NULL); }},
              {"MPI_Reduce", "root", MPI_ERR_ROOT,
               [&] { return MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, -1, MPI_COMM_SELF); }},
              {"MPI_Allreduce", "op", MPI_ERR_OP,
               [&] { return MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_SELF); }},
              {"MPI_Allreduce", "op", MPI_ERR_OP,
               [&] {
                 double number = 0;
                 double result = 0;
                 return MPI_Allreduce(&number, &result, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_SELF);
               }},
              {"MPI_Gather", "root", MPI_ERR_ROOT,
               [&] { return MPI_Gather(&value, 1, MPI_INT, &sum, 1, MPI_INT, 7, MPI_COMM_SELF); }},
              {"MPI_Alltoall", "comm", MPI_ERR_COMM,
               [&] { return MPI_Alltoall(&value, 1, MPI_INT, &sum, 1, MPI_INT, MPI_COMM_NULL); }},
              {"MPI_Barrier", "comm", MPI_ERR_COMM, [&] { return MPI_Barrier(MPI_COMM_NULL); }}});
}

MPI_CASE("communicators, groups, datatypes and requests with wrong arguments", 1, 2) {
  const ReturnErrors quiet;
  int number = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mistakes(
      world, {{"MPI_Comm_rank", "comm", MPI_ERR_COMM, [&] { return MPI_Comm_rank(MPI_COMM_NULL, &number); }},
              {"MPI_Comm_size", "comm", MPI_ERR_COMM, [&] { return MPI_Comm_size(MPI_COMM_NULL, &number); }},
              {"MPI_Comm_dup", "comm", MPI_ERR_COMM, [&] { return MPI_Comm_dup(MPI_COMM_NULL, &comm); }},
              {"MPI_Comm_free", "comm", MPI_ERR_COMM, [&] { return MPI_Comm_free(&comm); }},
              {"MPI_Group_size", "group", MPI_ERR_GROUP, [&] { return MPI_Group_size(MPI_GROUP_NULL, &number); }},
              {"MPI_Group_free", "group", MPI_ERR_GROUP, [&] { return MPI_Group_free(&group); }},
              {"MPI_Type_contiguous", "count", MPI_ERR_COUNT, [&] { return MPI_Type_contiguous(-2, MPI_INT, &type); }},
              {"MPI_Type_commit", "datatype", MPI_ERR_TYPE, [&] { return MPI_Type_commit(&type); }},
              {"MPI_Type_free", "datatype", MPI_ERR_TYPE, [&] { return MPI_Type_free(&type); }},
              {"MPI_Type_size", "datatype", MPI_ERR_TYPE, [&] { return MPI_Type_size(MPI_DATATYPE_NULL, &number); }},
              {"MPI_Request_free", "request", MPI_ERR_REQUEST, [&] { return MPI_Request_free(&request); }},
              {"MPI_Start", "request", MPI_ERR_REQUEST, [&] { return MPI_Start(&request); }}});
}

MPI_CASE("predefined objects cannot be freed", 1, 2) {
  const ReturnErrors quiet;
  MPI_Comm comm = MPI_COMM_WORLD;
  CHECK(MPI_Comm_free(&comm) != MPI_SUCCESS);
  MPI_Datatype type = MPI_INT;
  CHECK_EQ(class_of(MPI_Type_free(&type)), MPI_ERR_TYPE);
  MPI_Op op = MPI_SUM;
  CHECK_EQ(class_of(MPI_Op_free(&op)), MPI_ERR_OP);
  int size = 0;
  CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
  CHECK_EQ(size, world.size);
}

#if MPI_VERSION >= 5
/// A handle that was freed names nothing; Starling notices, whatever has been made since.
MPI_CASE("freed handles are noticed", 1, 2) {
  const ReturnErrors quiet;
  int value = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  const MPI_Comm stale_comm = comm;
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  CHECK_EQ(class_of(MPI_Send(&value, 1, MPI_INT, 0, 1, stale_comm)), MPI_ERR_COMM);
  MPI_Comm_free(&comm);

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const MPI_Datatype stale_type = type;
  MPI_Type_free(&type);
  CHECK_EQ(class_of(MPI_Send(&value, 1, stale_type, 0, 1, MPI_COMM_SELF)), MPI_ERR_TYPE);

  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Request stale_request = request;
  MPI_Request_free(&request);
  CHECK_EQ(class_of(MPI_Wait(&stale_request, MPI_STATUS_IGNORE)), MPI_ERR_REQUEST);
}

MPI_CASE("functions of later versions say that they are not there", 1, 2) {
  const ReturnErrors quiet;
  MPI_Win win = MPI_WIN_NULL;
  int value = 0;
  const int code = MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  CHECK_EQ(class_of(code), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(says(text_of(code), "MPI_Win_create"));
}
#endif

MPI_CASE("a mistake leaves the communicator usable", 2, 4) {
  const ReturnErrors quiet;
  int value = world.rank;
  for (int i = 0; i < 100; ++i) {
    CHECK(MPI_Send(&value, 1, MPI_INT, world.size, 1, world.comm) != MPI_SUCCESS);
    int other = -1;
    MPI_Sendrecv(&value, 1, MPI_INT, (world.rank + 1) % world.size, 1, &other, 1, MPI_INT,
                 (world.rank + world.size - 1) % world.size, 1, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(other, (world.rank + world.size - 1) % world.size);
  }
}

}  // namespace
}  // namespace starling::tests
