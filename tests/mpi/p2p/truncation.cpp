// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Messages longer than their receive: an error for that receive, no byte beyond its buffer, and the next message is
// fine.
#include <cstddef>
#include <vector>

#include "support/errors.hpp"
#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kTruncatedSizes[] = {1, 64, 1000, 5000, 40000, 300000, 3 << 20};

/// Neither more than the buffer nor anything else than the message's own bytes may appear in it.
bool holds_no_more_than_a_prefix(GuardedBuffer& buffer, std::uint64_t key) {
  GuardedBuffer untouched(buffer.size());
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    const bool changed = buffer.data()[i] != untouched.data()[i];
    if (changed && buffer.data()[i] != pattern_byte(key, i)) return false;
  }
  fill_pattern(buffer.data(), buffer.size(), key);
  return buffer.holds(key);
}

enum class First { kReceive, kMessage };

void truncate(Context& world, First first) {
  const ReturnErrors quiet;
  for (const int bytes : kTruncatedSizes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (world.rank == 0) {
      const auto data = pattern(size, key_of(bytes));
      MPI_Request request = MPI_REQUEST_NULL;
      if (first == First::kReceive) MPI_Recv(nullptr, 0, MPI_BYTE, 1, 2, world.comm, MPI_STATUS_IGNORE);
      MPI_Isend(data.data(), bytes, MPI_BYTE, 1, 1, world.comm, &request);
      if (first == First::kMessage) MPI_Send(nullptr, 0, MPI_BYTE, 1, 2, world.comm);
      CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      CHECK_EQ(MPI_Send(data.data(), bytes, MPI_BYTE, 1, 1, world.comm), MPI_SUCCESS);
      continue;
    }
    if (first == First::kMessage) MPI_Recv(nullptr, 0, MPI_BYTE, 0, 2, world.comm, MPI_STATUS_IGNORE);
    GuardedBuffer small(size / 2);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(small.data(), bytes / 2, MPI_BYTE, 0, 1, world.comm, &request);
    if (first == First::kReceive) MPI_Send(nullptr, 0, MPI_BYTE, 0, 2, world.comm);
    MPI_Status status = unset_status();
    CHECK_EQ(class_of(MPI_Wait(&request, &status)), MPI_ERR_TRUNCATE);
    CHECK_EQ(status.MPI_SOURCE, 0);
    CHECK_EQ(status.MPI_TAG, 1);
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(holds_no_more_than_a_prefix(small, key_of(bytes)));
    GuardedBuffer whole(size);
    CHECK_EQ(MPI_Recv(whole.data(), bytes, MPI_BYTE, 0, 1, world.comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(whole.holds(key_of(bytes)));
  }
}

MPI_CASE("a posted receive that is too short is MPI_ERR_TRUNCATE", 2, 2) { truncate(world, First::kReceive); }
MPI_CASE("an unexpected message that is too long is MPI_ERR_TRUNCATE", 2, 2) { truncate(world, First::kMessage); }

MPI_CASE("a receive of nothing is MPI_ERR_TRUNCATE, and the send is complete", 2, 2) {
  const ReturnErrors quiet;
  for (const int bytes : kTruncatedSizes) {
    const std::vector<std::byte> data(static_cast<std::size_t>(bytes));
    if (world.rank == 0) {
      CHECK_EQ(MPI_Ssend(data.data(), bytes, MPI_BYTE, 1, 1, world.comm), MPI_SUCCESS);
    } else {
      CHECK_EQ(class_of(MPI_Recv(nullptr, 0, MPI_BYTE, 0, 1, world.comm, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
    }
  }
}

MPI_CASE("a blocking receive that is too short is MPI_ERR_TRUNCATE", 1, 2) {
  const ReturnErrors quiet;
  int out[4] = {1, 2, 3, 4};
  int in[4] = {0, 0, 0, 7};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(out, 4, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  CHECK_EQ(class_of(MPI_Recv(in, 3, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
  CHECK_EQ(in[3], 7);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

MPI_CASE("a matched receive that is too short is MPI_ERR_TRUNCATE", 2, 2) {
  const ReturnErrors quiet;
  for (const int bytes : kTruncatedSizes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (world.rank == 0) {
      MPI_Send(pattern(size, 3).data(), bytes, MPI_BYTE, 1, 1, world.comm);
    } else {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(0, 1, world.comm, &message, MPI_STATUS_IGNORE);
      GuardedBuffer small(size / 2);
      CHECK_EQ(class_of(MPI_Mrecv(small.data(), bytes / 2, MPI_BYTE, &message, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
      CHECK(holds_no_more_than_a_prefix(small, 3));
    }
  }
}

MPI_CASE("a message into a receive of no bytes is MPI_ERR_TRUNCATE", 2, 2) {
  const ReturnErrors quiet;
  int value = 1;
  if (world.rank == 0) {
    MPI_Send(&value, 1, MPI_INT, 1, 1, world.comm);
  } else {
    CHECK_EQ(class_of(MPI_Recv(nullptr, 0, MPI_INT, 0, 1, world.comm, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
  }
}

}  // namespace
}  // namespace starling::tests
