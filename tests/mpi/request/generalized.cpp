// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests (MPI-5.0, 13.2): the user's own operations in every completion call.
#include <chrono>
#include <thread>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// What the callbacks have seen, and what they answer.
struct Operation {
  int queried = 0;
  int freed = 0;
  int cancelled = 0;
  int complete_at_cancel = -1;
  int query_code = MPI_SUCCESS;
  int free_code = MPI_SUCCESS;
};

int query(void* state, MPI_Status* status) {
  auto* operation = static_cast<Operation*>(state);
  ++operation->queried;
  MPI_Status_set_elements(status, MPI_INT, 7);
  MPI_Status_set_cancelled(status, operation->cancelled > 0 ? 1 : 0);
  status->MPI_SOURCE = 11;
  status->MPI_TAG = 13;
  return operation->query_code;
}

int free_state(void* state) {
  auto* operation = static_cast<Operation*>(state);
  ++operation->freed;
  return operation->free_code;
}

int cancel(void* state, int complete) {
  auto* operation = static_cast<Operation*>(state);
  ++operation->cancelled;
  operation->complete_at_cancel = complete;
  return MPI_SUCCESS;
}

MPI_Request start(Operation& operation) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Grequest_start(query, free_state, cancel, &operation, &request);
  return request;
}

MPI_Request completed(Operation& operation) {
  const MPI_Request request = start(operation);
  MPI_Grequest_complete(request);
  return request;
}

void check_status(Context& world, const MPI_Status& status) {
  int count = 0, cancelled = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_EQ(count, 7);
  CHECK_EQ(cancelled, 0);
  CHECK_EQ(status.MPI_SOURCE, 11);
  CHECK_EQ(status.MPI_TAG, 13);
}

void check_ended(Context& world, const Operation& operation, MPI_Request request) {
  CHECK_EQ(operation.queried, 1);
  CHECK_EQ(operation.freed, 1);
  CHECK(request == MPI_REQUEST_NULL);
}

MPI_CASE("a generalized request completes when its user says so", 1, 1) {
  Operation operation;
  MPI_Request request = start(operation);
  int flag = -1;
  MPI_Status status{};
  MPI_Test(&request, &flag, &status);
  CHECK_EQ(flag, 0);
  MPI_Request_get_status(request, &flag, &status);
  CHECK_EQ(flag, 0);
  CHECK_EQ(operation.queried, 0);
  MPI_Grequest_complete(request);
  MPI_Test(&request, &flag, &status);
  CHECK_EQ(flag, 1);
  check_status(world, status);
  check_ended(world, operation, request);
}

MPI_CASE("every completion call asks the query function and then the free function", 1, 1) {
  MPI_Status status{};
  int flag = 0, index = -1, count = 0, indices[1] = {-1};
  const auto run = [&](auto&& call) {
    Operation operation;
    MPI_Request request = completed(operation);
    status = MPI_Status{};
    call(&request);
    check_status(world, status);
    check_ended(world, operation, request);
  };
  run([&](MPI_Request* request) { MPI_Wait(request, &status); });
  run([&](MPI_Request* request) { MPI_Test(request, &flag, &status); });
  run([&](MPI_Request* request) { MPI_Waitall(1, request, &status); });
  run([&](MPI_Request* request) { MPI_Testall(1, request, &flag, &status); });
  run([&](MPI_Request* request) { MPI_Waitany(1, request, &index, &status); });
  run([&](MPI_Request* request) { MPI_Testany(1, request, &index, &flag, &status); });
  run([&](MPI_Request* request) { MPI_Waitsome(1, request, &count, indices, &status); });
  run([&](MPI_Request* request) { MPI_Testsome(1, request, &count, indices, &status); });
}

MPI_CASE("the query function runs even when the status is ignored", 1, 1) {
  Operation operation;
  MPI_Request request = completed(operation);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_ended(world, operation, request);
}

MPI_CASE("reading the status of a generalized request leaves it alive", 1, 1) {
  Operation operation;
  MPI_Request request = completed(operation);
  MPI_Status status{};
  int flag = 0;
  MPI_Request_get_status(request, &flag, &status);
  CHECK_EQ(flag, 1);
  check_status(world, status);
  CHECK_EQ(operation.queried, 1);
#if MPI_VERSION >= 5
  int index = -1, count = 0, indices[1] = {-1};
  MPI_Request_get_status_all(1, &request, &flag, &status);
  check_status(world, status);
  MPI_Request_get_status_any(1, &request, &index, &flag, &status);
  check_status(world, status);
  MPI_Request_get_status_some(1, &request, &count, indices, &status);
  check_status(world, status);
  CHECK_EQ(operation.queried, 4);
#endif
  CHECK_EQ(operation.freed, 0);
  MPI_Wait(&request, &status);
  CHECK_EQ(operation.freed, 1);
}

MPI_CASE("a freed generalized request ends when it is complete, unasked", 1, 1) {
  Operation operation;
  MPI_Request request = start(operation);
  const MPI_Request kept = request;
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQ(operation.freed, 0);
  MPI_Grequest_complete(kept);
  CHECK_EQ(operation.freed, 1);
  CHECK_EQ(operation.queried, 0);
  Operation other;
  request = completed(other);
  MPI_Request_free(&request);
  CHECK_EQ(other.freed, 1);
  CHECK_EQ(other.queried, 0);
}

MPI_CASE("MPI_Cancel asks the cancel function, before and after completion", 1, 1) {
  Operation operation;
  MPI_Request request = start(operation);
  MPI_Cancel(&request);
  CHECK_EQ(operation.complete_at_cancel, 0);
  MPI_Grequest_complete(request);
  MPI_Cancel(&request);
  CHECK_EQ(operation.complete_at_cancel, 1);
  MPI_Status status{};
  int cancelled = 0;
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_EQ(cancelled, 1);
}

MPI_CASE("what the query and free functions return comes back from the completion call", 1, 1) {
  const ReturnErrors errors;
  Operation operation;
  operation.query_code = MPI_ERR_OTHER;
  MPI_Request request = completed(operation);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
  CHECK_EQ(operation.freed, 1);
  operation.free_code = MPI_ERR_ARG;
  request = completed(operation);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_ARG);
  operation.free_code = MPI_SUCCESS;
  request = completed(operation);
  MPI_Status status{};
  CHECK_EQ(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
  CHECK_EQ(status.MPI_ERROR, MPI_ERR_OTHER);
}

MPI_CASE("only a generalized request that is not complete can be completed", 1, 1) {
  const ReturnErrors errors;
  Operation operation;
  MPI_Request request = completed(operation);
  CHECK_EQ(class_of(MPI_Grequest_complete(request)), MPI_ERR_REQUEST);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(class_of(MPI_Grequest_complete(MPI_REQUEST_NULL)), MPI_ERR_REQUEST);
  MPI_Irecv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  CHECK_EQ(class_of(MPI_Grequest_complete(request)), MPI_ERR_REQUEST);
  MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

MPI_CASE("a generalized request completes among messages", 2, 8) {
  const int right = (world.rank + 1) % world.size;
  const int left = (world.rank + world.size - 1) % world.size;
  for (int round = 0; round < 20; ++round) {
    Operation operation;
    int sent = world.rank, received = -1;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    requests[0] = start(operation);
    MPI_Irecv(&received, 1, MPI_INT, left, 1, world.comm, &requests[1]);
    MPI_Isend(&sent, 1, MPI_INT, right, 1, world.comm, &requests[2]);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(3, requests, statuses);
    check_status(world, statuses[0]);
    CHECK_EQ(received, left);
    CHECK_EQ(operation.freed, 1);
  }
}

MPI_CASE("a thread that waits hears of a completion by another", 1, 4) {
  if (world.thread_level < MPI_THREAD_MULTIPLE) return;
  for (int round = 0; round < 20; ++round) {
    Operation operation;
    MPI_Request request = start(operation);
    const MPI_Request kept = request;
    world.run_threads(2, [&](int thread) {
      if (thread == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(round % 4));
        MPI_Grequest_complete(kept);
      }
    });
    check_ended(world, operation, request);
  }
}

}  // namespace
}  // namespace starling::tests
