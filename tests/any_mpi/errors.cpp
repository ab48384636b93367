// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/errors.hpp"

#include "mpi/owned_communicator.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

MPI_CASE("errors are returned, with a text, and tell of no death", 1, 8) {
  any_mpi::OwnedCommunicator self;
  any_mpi::duplicate(MPI_COMM_SELF, self);
  CHECK_EQ(any_mpi::return_errors(self.get()), MPI_SUCCESS);
  const int code = MPI_Send(nullptr, 0, MPI_BYTE, 7, 0, self.get());
  CHECK(code != MPI_SUCCESS);
  CHECK(!any_mpi::error_text(code).empty());
  CHECK(any_mpi::error_text(code) != any_mpi::error_text(MPI_SUCCESS));
  CHECK(!any_mpi::is_process_failure(code));
  CHECK(!any_mpi::is_process_failure(MPI_SUCCESS));
}

MPI_CASE("a job that was not asked to survive a death does not", 1, 8) {
  CHECK(!any_mpi::survives_failures(MPI_COMM_WORLD));
}

}  // namespace
}  // namespace starling::tests
