// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The completion calls over one and many requests, with null requests among them (MPI-5.0, 3.7.3 and 3.7.5).
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kBatch = 16;

/// Receives of `values[i]` with tag i from the previous rank, and a null request between any two.
struct Incoming {
  explicit Incoming(Context& world) {
    const int previous = (world.rank + world.size - 1) % world.size;
    for (int i = 0; i < kBatch; ++i) {
      MPI_Irecv(&values[static_cast<std::size_t>(i)], 1, MPI_INT, previous, i, world.comm,
                &requests[static_cast<std::size_t>(2 * i)]);
    }
  }
  std::array<int, kBatch> values{};
  std::array<MPI_Request, 2 * kBatch> requests = [] {
    std::array<MPI_Request, 2 * kBatch> all{};
    all.fill(MPI_REQUEST_NULL);
    return all;
  }();
};

void send_in_random_order(Context& world) {
  const int next = (world.rank + 1) % world.size;
  std::array<int, kBatch> order{};
  std::iota(order.begin(), order.end(), 0);
  auto random = world.generator(static_cast<std::uint64_t>(world.rank));
  std::shuffle(order.begin(), order.end(), random);
  for (const int tag : order) {
    const int value = 100 * world.rank + tag;
    MPI_Send(&value, 1, MPI_INT, next, tag, world.comm);
  }
}

void check_message(Context& world, const Incoming& in, int index, const MPI_Status& status) {
  const int previous = (world.rank + world.size - 1) % world.size;
  CHECK_EQ(index % 2, 0);
  CHECK(describes(status, previous, index / 2, sizeof(int)));
  CHECK_EQ(in.values[static_cast<std::size_t>(index / 2)], 100 * previous + index / 2);
  CHECK(in.requests[static_cast<std::size_t>(index)] == MPI_REQUEST_NULL);
}

MPI_CASE("MPI_Wait fills the status of its message", 1, 8) {
  Incoming in(world);
  send_in_random_order(world);
  for (int i = 0; i < kBatch; ++i) {
    MPI_Status status = unset_status();
    MPI_Wait(&in.requests[static_cast<std::size_t>(2 * i)], &status);
    check_message(world, in, 2 * i, status);
    CHECK_EQ(status.MPI_ERROR, -77);
  }
}

MPI_CASE("MPI_Test is false before the message and true once", 1, 8) {
  Incoming in(world);
  if (world.size == 1) {
    int complete = -1;
    MPI_Test(&in.requests[0], &complete, MPI_STATUS_IGNORE);
    CHECK_EQ(complete, 0);
    CHECK(in.requests[0] != MPI_REQUEST_NULL);
  }
  send_in_random_order(world);
  for (int i = 0; i < 2 * kBatch; i += 2) {
    int complete = 0;
    MPI_Status status = unset_status();
    while (!complete) MPI_Test(&in.requests[static_cast<std::size_t>(i)], &complete, &status);
    check_message(world, in, i, status);
  }
}

MPI_CASE("MPI_Waitall fills each status, null requests included", 1, 8) {
  Incoming in(world);
  send_in_random_order(world);
  std::array<MPI_Status, 2 * kBatch> statuses{};
  statuses.fill(unset_status());
  MPI_Waitall(2 * kBatch, in.requests.data(), statuses.data());
  for (int i = 0; i < 2 * kBatch; ++i) {
    const MPI_Status& status = statuses[static_cast<std::size_t>(i)];
    if (i % 2 == 0) check_message(world, in, i, status);
    if (i % 2 == 1) CHECK(is_empty(status));
  }
}

MPI_CASE("MPI_Testall is true for all or none", 1, 8) {
  Incoming in(world);
  int complete = -1;
  if (world.size == 1) {
    MPI_Testall(2 * kBatch, in.requests.data(), &complete, MPI_STATUSES_IGNORE);
    CHECK_EQ(complete, 0);
    CHECK(in.requests[0] != MPI_REQUEST_NULL);
  }
  send_in_random_order(world);
  std::array<MPI_Status, 2 * kBatch> statuses{};
  complete = 0;
  while (!complete) {
    for (int i = 0; i < kBatch; ++i) CHECK(in.requests[static_cast<std::size_t>(2 * i)] != MPI_REQUEST_NULL);
    MPI_Testall(2 * kBatch, in.requests.data(), &complete, statuses.data());
  }
  for (int i = 0; i < 2 * kBatch; i += 2) check_message(world, in, i, statuses[static_cast<std::size_t>(i)]);
}

MPI_CASE("MPI_Waitany gives every request once, then undefined", 1, 8) {
  Incoming in(world);
  send_in_random_order(world);
  for (int i = 0; i < kBatch; ++i) {
    MPI_Status status = unset_status();
    int index = -1;
    MPI_Waitany(2 * kBatch, in.requests.data(), &index, &status);
    if (CHECK(index >= 0 && index < 2 * kBatch)) check_message(world, in, index, status);
  }
  int index = -1;
  MPI_Status status = unset_status();
  MPI_Waitany(2 * kBatch, in.requests.data(), &index, &status);
  CHECK_EQ(index, MPI_UNDEFINED);
  CHECK(is_empty(status));
}

MPI_CASE("MPI_Testany gives every request once, then undefined", 1, 8) {
  Incoming in(world);
  int index = -1;
  int complete = -1;
  if (world.size == 1) {
    MPI_Testany(2 * kBatch, in.requests.data(), &index, &complete, MPI_STATUS_IGNORE);
    CHECK_EQ(complete, 0);
    CHECK_EQ(index, MPI_UNDEFINED);
  }
  send_in_random_order(world);
  for (int got = 0; got < kBatch;) {
    MPI_Status status = unset_status();
    MPI_Testany(2 * kBatch, in.requests.data(), &index, &complete, &status);
    if (!complete) continue;
    if (CHECK(index >= 0 && index < 2 * kBatch)) check_message(world, in, index, status);
    ++got;
  }
  MPI_Status status = unset_status();
  MPI_Testany(2 * kBatch, in.requests.data(), &index, &complete, &status);
  CHECK_EQ(complete, 1);
  CHECK_EQ(index, MPI_UNDEFINED);
  CHECK(is_empty(status));
}

/// Waitsome and Testsome have the same shape and differ only in what they do when nothing is ready.
void complete_some(Context& world, int (*some)(int, MPI_Request*, int*, int*, MPI_Status*), bool waits) {
  Incoming in(world);
  send_in_random_order(world);
  std::vector<int> seen(2 * kBatch, 0);
  std::array<int, 2 * kBatch> indices{};
  std::array<MPI_Status, 2 * kBatch> statuses{};
  int count = -1;
  for (int got = 0; got < kBatch; got += count) {
    some(2 * kBatch, in.requests.data(), &count, indices.data(), statuses.data());
    if (!CHECK(count >= (waits ? 1 : 0) && count <= kBatch - got)) return;
    for (int i = 0; i < count; ++i) {
      const int index = indices[static_cast<std::size_t>(i)];
      if (!CHECK(index >= 0 && index < 2 * kBatch)) return;
      CHECK_EQ(seen[static_cast<std::size_t>(index)]++, 0);
      check_message(world, in, index, statuses[static_cast<std::size_t>(i)]);
    }
  }
  some(2 * kBatch, in.requests.data(), &count, indices.data(), statuses.data());
  CHECK_EQ(count, MPI_UNDEFINED);
}

MPI_CASE("MPI_Waitsome gives every request once", 1, 8) { complete_some(world, MPI_Waitsome, true); }
MPI_CASE("MPI_Testsome gives every request once", 1, 8) { complete_some(world, MPI_Testsome, false); }

MPI_CASE("MPI_Testsome of requests that are not ready gives none", 1, 1) {
  Incoming in(world);
  int count = -1;
  std::array<int, 2 * kBatch> indices{};
  MPI_Testsome(2 * kBatch, in.requests.data(), &count, indices.data(), MPI_STATUSES_IGNORE);
  CHECK_EQ(count, 0);
  send_in_random_order(world);
  MPI_Waitall(2 * kBatch, in.requests.data(), MPI_STATUSES_IGNORE);
}

MPI_CASE("calls on null requests return at once with an empty status", 1, 2) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status = unset_status();
  MPI_Wait(&request, &status);
  CHECK(is_empty(status));
  int complete = 0;
  status = unset_status();
  MPI_Test(&request, &complete, &status);
  CHECK_EQ(complete, 1);
  CHECK(is_empty(status));
  complete = 0;
  status = unset_status();
  MPI_Request_get_status(request, &complete, &status);
  CHECK_EQ(complete, 1);
  CHECK(is_empty(status));
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  CHECK(request == MPI_REQUEST_NULL);
}

/// Whether `call` leaves an empty status that says MPI_SUCCESS, whatever it said before.
template <typename Call>
bool empties(Call call) {
  MPI_Status status = unset_status();
  call(&status);
  return is_empty(status) && status.MPI_ERROR == MPI_SUCCESS;
}

/// Every call that reports one status, of a request that is null or inactive.
void check_empty_status_says_success(Context& world, MPI_Request request) {
  int index = 0;
  int flag = 0;
  CHECK(empties([&](MPI_Status* status) { MPI_Wait(&request, status); }));
  CHECK(empties([&](MPI_Status* status) { MPI_Test(&request, &flag, status); }));
  CHECK(empties([&](MPI_Status* status) { MPI_Request_get_status(request, &flag, status); }));
  CHECK(empties([&](MPI_Status* status) { MPI_Waitany(1, &request, &index, status); }));
  CHECK(empties([&](MPI_Status* status) { MPI_Testany(1, &request, &index, &flag, status); }));
#if MPI_VERSION >= 5
  CHECK(empties([&](MPI_Status* status) { MPI_Request_get_status_any(1, &request, &index, &flag, status); }));
#endif
}

MPI_CASE("the empty status says MPI_SUCCESS, where other calls for one request leave MPI_ERROR alone", 1, 2) {
  check_empty_status_says_success(world, MPI_REQUEST_NULL);
  int value = 7;
  MPI_Request receive;
  MPI_Recv_init(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &receive);
  check_empty_status_says_success(world, receive);
  MPI_Start(&receive);
  MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Status status = unset_status();
  MPI_Wait(&receive, &status);
  CHECK_EQ(status.MPI_ERROR, -77);
  check_empty_status_says_success(world, receive);
  MPI_Request_free(&receive);
}

MPI_CASE("calls on no requests at all return at once", 1, 2) {
  int complete = 0;
  int index = -1;
  int count = -1;
  MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
  MPI_Testall(0, nullptr, &complete, MPI_STATUSES_IGNORE);
  CHECK_EQ(complete, 1);
  MPI_Waitany(0, nullptr, &index, MPI_STATUS_IGNORE);
  CHECK_EQ(index, MPI_UNDEFINED);
  complete = 0;
  index = -1;
  MPI_Testany(0, nullptr, &index, &complete, MPI_STATUS_IGNORE);
  CHECK_EQ(complete, 1);
  CHECK_EQ(index, MPI_UNDEFINED);
  MPI_Waitsome(0, nullptr, &count, nullptr, MPI_STATUSES_IGNORE);
  CHECK_EQ(count, MPI_UNDEFINED);
  count = -1;
  MPI_Testsome(0, nullptr, &count, nullptr, MPI_STATUSES_IGNORE);
  CHECK_EQ(count, MPI_UNDEFINED);
}

MPI_CASE("MPI_Request_get_status leaves the request to be completed", 1, 8) {
  Incoming in(world);
  send_in_random_order(world);
  const int previous = (world.rank + world.size - 1) % world.size;
  for (int repeat = 0; repeat < 2; ++repeat) {
    MPI_Status status = unset_status();
    int complete = 0;
    while (!complete) MPI_Request_get_status(in.requests[0], &complete, &status);
    CHECK(describes(status, previous, 0, sizeof(int)));
    CHECK(in.requests[0] != MPI_REQUEST_NULL);
  }
  MPI_Waitall(2 * kBatch, in.requests.data(), MPI_STATUSES_IGNORE);
}

MPI_CASE("a freed request still completes its operation", 2, 2) {
  constexpr int kCount = 20000;
  std::vector<int> values(kCount, world.rank == 0 ? 7 : 0);
  MPI_Request request = MPI_REQUEST_NULL;
  if (world.rank == 0) {
    MPI_Isend(values.data(), kCount, MPI_INT, 1, 1, world.comm, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Recv(nullptr, 0, MPI_INT, 1, 2, world.comm, MPI_STATUS_IGNORE);
  } else {
    MPI_Irecv(values.data(), kCount, MPI_INT, 0, 1, world.comm, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    // All of them, not the last: a long message may arrive in pieces in any order.
    int flag = 0;
    while (std::count(values.begin(), values.end(), 7) != kCount) {
      MPI_Iprobe(0, 99, world.comm, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Send(nullptr, 0, MPI_INT, 0, 2, world.comm);
  }
}

MPI_CASE("one truncated message among many is MPI_ERR_IN_STATUS", 2, 2) {
  const ReturnErrors quiet;
  int values[3][2] = {};
  if (world.rank == 0) {
    for (int tag = 0; tag < 3; ++tag) MPI_Send(values[tag], tag == 1 ? 2 : 1, MPI_INT, 1, tag, world.comm);
    return;
  }
  MPI_Request requests[3];
  MPI_Status statuses[3];
  for (int tag = 0; tag < 3; ++tag) MPI_Irecv(values[tag], 1, MPI_INT, 0, tag, world.comm, &requests[tag]);
  CHECK_EQ(MPI_Waitall(3, requests, statuses), MPI_ERR_IN_STATUS);
  for (int tag = 0; tag < 3; ++tag) {
    const int error = class_of(statuses[tag].MPI_ERROR);
    if (tag == 1) CHECK_EQ(error, MPI_ERR_TRUNCATE);
    if (tag != 1) CHECK(error == MPI_SUCCESS || error == MPI_ERR_PENDING);
    CHECK((requests[tag] != MPI_REQUEST_NULL) == (error == MPI_ERR_PENDING));
  }
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

MPI_CASE("long messages out of one array, some of the same bytes, complete each for itself", 2, 8) {
  constexpr std::size_t kSends = 6;
  constexpr int kInts = 50'000;
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  std::vector<int> array(2 * kInts);
  std::iota(array.begin(), array.end(), world.rank);
  const auto first_of = [](std::size_t i) { return i % 3 * (kInts / 2); };
  std::vector<std::vector<int>> in(kSends, std::vector<int>(kInts));
  MPI_Request sends[kSends];
  for (std::size_t i = 0; i < kSends; ++i)
    MPI_Isend(&array[first_of(i)], kInts, MPI_INT, next, static_cast<int>(i), world.comm, &sends[i]);
  // The last one first: the others are not complete before they are received.
  for (std::size_t i = kSends; i-- > 0;) {
    MPI_Recv(in[i].data(), kInts, MPI_INT, previous, static_cast<int>(i), world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(in[i].front(), previous + static_cast<int>(first_of(i)));
    CHECK_EQ(in[i].back(), previous + static_cast<int>(first_of(i)) + kInts - 1);
    MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
  }
}

MPI_CASE("thousands of outstanding requests complete in any order", 2, 8) {
  constexpr int kCount = 3000;
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  std::vector<int> in(kCount, -1);
  std::vector<int> out(kCount);
  std::iota(out.begin(), out.end(), world.rank * kCount);
  std::vector<MPI_Request> receives(kCount);
  std::vector<MPI_Request> sends(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    MPI_Irecv(&in[i], 1, MPI_INT, previous, static_cast<int>(kCount - 1 - i), world.comm, &receives[i]);
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    MPI_Isend(&out[i], 1, MPI_INT, next, static_cast<int>(i), world.comm, &sends[i]);
  }
  auto random = world.generator(7);
  std::vector<std::size_t> order(kCount);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t i : order) {
    MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
    CHECK_EQ(in[i], previous * kCount + static_cast<int>(kCount - 1 - i));
  }
  MPI_Waitall(kCount, sends.data(), MPI_STATUSES_IGNORE);
}

}  // namespace
}  // namespace starling::tests
