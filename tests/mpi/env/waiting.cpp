// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a process waits, changed while it runs. Other libraries take the info key for a hint they do not know.
#include <algorithm>
#include <vector>

#include "support/clocks.hpp"
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

int wait_by(const char* way) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "starling_wait", way);
  const int code = MPI_Comm_set_info(MPI_COMM_WORLD, info);
  MPI_Info_free(&info);
  return code;
}

MPI_CASE("messages arrive however the ranks wait, and the way can change between them", 2, 8) {
  const int right = (world.rank + 1) % world.size;
  const int left = (world.rank + world.size - 1) % world.size;
  const char* ways[] = {"sleep", "yield", "spin", "auto"};
  for (int round = 0; round < 12; ++round) {
    // Neighbours wait in different ways at the same time.
    CHECK_EQ(wait_by(ways[(round + world.rank) % 4]), MPI_SUCCESS);
    int out = world.rank * 1000 + round;
    int in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, world.comm, MPI_STATUS_IGNORE);
    CHECK_EQ(in, left * 1000 + round);
    MPI_Barrier(world.comm);
  }
  CHECK_EQ(wait_by("auto"), MPI_SUCCESS);
}

#ifdef MPI_ABI_VERSION
/// Many short gathers of ranks that have just waited for a long one, in us for each.
double gathers_us(const Context& world) {
  constexpr int kLong = 512 * 1024;
  constexpr int kTimes = 2'000;
  const std::vector<char> out(kLong);
  std::vector<char> in(world.rank == 0 ? static_cast<std::size_t>(kLong * world.size) : 0);
  const std::vector<int> counts(static_cast<std::size_t>(world.size), 8);
  std::vector<int> places(counts.size());
  for (std::size_t rank = 0; rank < places.size(); ++rank) places[rank] = 8 * static_cast<int>(rank);
  for (int i = 0; i < 10; ++i) MPI_Gather(out.data(), kLong, MPI_CHAR, in.data(), kLong, MPI_CHAR, 0, world.comm);
  const double began = shared_clock_s();
  for (int i = 0; i < kTimes; ++i)
    MPI_Gatherv(out.data(), 8, MPI_CHAR, in.data(), counts.data(), places.data(), MPI_CHAR, 0, world.comm);
  MPI_Barrier(world.comm);
  return (shared_clock_s() - began) * 1e6 / kTimes;
}

// The test mpi.env.crowd. Ranks that sleep for each other take some fifty times as long.
MPI_CASE("ranks that crowd the cores wait for each other no longer than those that only yield", 16, 16) {
  double least_us = 1e9;
  double least_yielding_us = 1e9;
  for (int round = 0; round < 5; ++round) {
    least_us = std::min(least_us, gathers_us(world));
    wait_by("yield");
    least_yielding_us = std::min(least_yielding_us, gathers_us(world));
    wait_by("auto");
  }
  CHECK(least_us < 8 * least_yielding_us + 5);
}

MPI_CASE("a way to wait that does not exist is refused with the ways that do", 1, 1) {
  ReturnErrors while_here;
  const int code = wait_by("doze");
  CHECK_EQ(class_of(code), MPI_ERR_INFO_VALUE);
}
#endif

}  // namespace
}  // namespace starling::tests
