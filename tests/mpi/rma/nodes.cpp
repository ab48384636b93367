// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a window over several nodes is told. The other cases of this chapter run on each node by itself.
#include "support/nodes.hpp"

#include <string>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("a window over several nodes is refused on every rank", 2, 8) {
  if (!spans_nodes(world.comm)) return;
  const ReturnErrors quiet;
  int memory = 0;
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  const int created = MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, world.comm, &win);
  CHECK_EQ(class_of(created), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(text_of(created).find("MPI_Comm_split_type") != std::string::npos);
  CHECK_EQ(class_of(MPI_Win_allocate(8, 1, MPI_INFO_NULL, world.comm, &base, &win)), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK_EQ(class_of(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, world.comm, &base, &win)), MPI_ERR_RMA_SHARED);
  CHECK_EQ(class_of(MPI_Win_create_dynamic(MPI_INFO_NULL, world.comm, &win)), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(win == MPI_WIN_NULL);
}

}  // namespace
}  // namespace starling::tests
