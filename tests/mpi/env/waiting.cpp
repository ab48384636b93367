// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// How a process waits, changed while it runs. Other libraries take the info key for a hint they do not know.
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
MPI_CASE("a way to wait that does not exist is refused with the ways that do", 1, 1) {
  ReturnErrors while_here;
  const int code = wait_by("doze");
  CHECK_EQ(class_of(code), MPI_ERR_INFO_VALUE);
}
#endif

}  // namespace
}  // namespace starling::tests
