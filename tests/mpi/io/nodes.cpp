// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What is said of a file that ranks on several nodes open. The other cases of this chapter run on each node by itself.
#include "support/nodes.hpp"

#include <string>

#include "mpi/io/scratch_file.hpp"
#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("a file over several nodes is refused on every rank and not made", 2, 8) {
  if (!spans_nodes(world.comm)) return;
  const ScratchFile scratch(world);
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(world.comm, scratch.path(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CHECK_EQ(class_of(code), MPI_ERR_UNSUPPORTED_OPERATION);
  CHECK(text_of(code).find("MPI_Comm_split_type") != std::string::npos);
  CHECK(file == MPI_FILE_NULL);
  MPI_Barrier(world.comm);
  CHECK(!scratch.exists());
}

}  // namespace
}  // namespace starling::tests
