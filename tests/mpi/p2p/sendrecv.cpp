// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// MPI_Sendrecv and its kin (MPI-5.0, 3.11).
#include <vector>

#include "support/guarded_buffer.hpp"
#include "support/mpi_cases.hpp"
#include "support/statuses.hpp"

namespace starling::tests {
namespace {

constexpr int kSizes[] = {0, 1, 8, 500, 5000, 70000, 1 << 20};

MPI_CASE("MPI_Sendrecv shifts round a ring without a deadlock", 1, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (const int bytes : kSizes) {
    const auto size = static_cast<std::size_t>(bytes);
    GuardedBuffer in(size);
    MPI_Status status = unset_status();
    MPI_Sendrecv(pattern(size, key_of(world.rank, bytes)).data(), bytes, MPI_BYTE, next, world.rank, in.data(), bytes,
                 MPI_BYTE, previous, previous, world.comm, &status);
    CHECK(describes(status, previous, previous, bytes));
    CHECK(in.holds(key_of(previous, bytes)));
  }
}

MPI_CASE("MPI_Sendrecv may send and receive different sizes", 2, 2) {
  const int mine = world.rank == 0 ? 10 : 100000;
  const int theirs = world.rank == 0 ? 100000 : 10;
  GuardedBuffer in(100000);
  MPI_Status status = unset_status();
  MPI_Sendrecv(pattern(static_cast<std::size_t>(mine), 1).data(), mine, MPI_BYTE, 1 - world.rank, 1, in.data(), 100000,
               MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world.comm, &status);
  CHECK(describes(status, 1 - world.rank, 1, theirs));
  CHECK(in.holds(1, static_cast<std::size_t>(theirs)));
}

MPI_CASE("MPI_Sendrecv_replace exchanges in one buffer", 1, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (const int bytes : kSizes) {
    const auto size = static_cast<std::size_t>(bytes);
    GuardedBuffer buffer(size);
    fill_pattern(buffer.data(), size, key_of(world.rank, bytes));
    MPI_Status status = unset_status();
    MPI_Sendrecv_replace(buffer.data(), bytes, MPI_BYTE, next, 1, previous, 1, world.comm, &status);
    CHECK(describes(status, previous, 1, bytes));
    CHECK(buffer.holds(key_of(previous, bytes)));
  }
}

MPI_CASE("MPI_Sendrecv_replace touches only the places of its datatype", 2, 2) {
  MPI_Datatype every_third = MPI_DATATYPE_NULL;
  MPI_Type_vector(100, 1, 3, MPI_INT, &every_third);
  MPI_Type_commit(&every_third);
  std::vector<int> values(300);
  for (int i = 0; i < 300; ++i) values[static_cast<std::size_t>(i)] = 1000 * world.rank + i;
  MPI_Sendrecv_replace(values.data(), 1, every_third, 1 - world.rank, 1, 1 - world.rank, 1, world.comm,
                       MPI_STATUS_IGNORE);
  for (int i = 0; i < 300; ++i) {
    const int owner = i % 3 == 0 ? 1 - world.rank : world.rank;
    CHECK_EQ(values[static_cast<std::size_t>(i)], 1000 * owner + i);
  }
  MPI_Type_free(&every_third);
}

MPI_CASE("a line of ranks shifts with nobody at its ends", 1, 8) {
  const int up = world.rank + 1 < world.size ? world.rank + 1 : MPI_PROC_NULL;
  const int down = world.rank > 0 ? world.rank - 1 : MPI_PROC_NULL;
  int in = -5;
  MPI_Status status = unset_status();
  MPI_Sendrecv(&world.rank, 1, MPI_INT, up, 1, &in, 1, MPI_INT, down, 1, world.comm, &status);
  CHECK_EQ(in, world.rank == 0 ? -5 : world.rank - 1);
  CHECK_EQ(status.MPI_SOURCE, down);
  int value = world.rank;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, up, 1, down, 1, world.comm, MPI_STATUS_IGNORE);
  CHECK_EQ(value, world.rank == 0 ? 0 : world.rank - 1);
}

#if MPI_VERSION >= 4
MPI_CASE("MPI_Isendrecv and MPI_Isendrecv_replace complete as one request", 1, 8) {
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  for (const int bytes : kSizes) {
    const auto size = static_cast<std::size_t>(bytes);
    const auto out = pattern(size, key_of(world.rank, bytes));
    GuardedBuffer in(size);
    GuardedBuffer replaced(size);
    fill_pattern(replaced.data(), size, key_of(world.rank, bytes));
    MPI_Request requests[2];
    MPI_Isendrecv(out.data(), bytes, MPI_BYTE, next, 1, in.data(), bytes, MPI_BYTE, previous, 1, world.comm,
                  &requests[0]);
    MPI_Isendrecv_replace(replaced.data(), bytes, MPI_BYTE, next, 2, previous, 2, world.comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in.holds(key_of(previous, bytes)));
    CHECK(replaced.holds(key_of(previous, bytes)));
  }
}

MPI_CASE("the large-count forms carry messages like the others", 2, 4) {
  const int peer = world.rank ^ 1;
  if (peer >= world.size) return;
  constexpr MPI_Count kBytes = 100000;
  GuardedBuffer in(kBytes);
  const auto out = pattern(kBytes, key_of(world.rank));
  MPI_Request requests[2];
  MPI_Irecv_c(in.data(), kBytes, MPI_BYTE, peer, 1, world.comm, &requests[0]);
  MPI_Isend_c(out.data(), kBytes, MPI_BYTE, peer, 1, world.comm, &requests[1]);
  MPI_Status statuses[2];
  MPI_Waitall(2, requests, statuses);
  CHECK(in.holds(key_of(peer)));
  MPI_Count count = -1;
  MPI_Get_count_c(&statuses[0], MPI_BYTE, &count);
  CHECK_EQ(count, kBytes);
  in.clear();
  MPI_Sendrecv_c(out.data(), kBytes, MPI_BYTE, peer, 2, in.data(), kBytes, MPI_BYTE, peer, 2, world.comm,
                 MPI_STATUS_IGNORE);
  CHECK(in.holds(key_of(peer)));
}
#endif

}  // namespace
}  // namespace starling::tests
