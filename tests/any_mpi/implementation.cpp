// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/implementation.hpp"

#include "mpi/handle.hpp"
#include "mpi/limits.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

// Asked before main(), so before MPI starts.
const std::string_view running_on_before = any_mpi::running_on();
const bool was_initialized_before = any_mpi::is_initialized();

MPI_CASE("the MPI that runs is known, before it starts as well", 1, 8) {
  CHECK_EQ(any_mpi::running_on(), any_mpi::kBuiltFor);
  CHECK_EQ(running_on_before, any_mpi::kBuiltFor);
  CHECK_EQ(any_mpi::blocking_calls_sleep(), any_mpi::kBuiltFor == "Starling");
}

MPI_CASE("whether MPI has started is known", 1, 8) {
  CHECK(!was_initialized_before);
  CHECK(any_mpi::is_initialized());
}

MPI_CASE("the largest tag is granted", 1, 8) {
  const int* bound = nullptr;
  int is_set = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &is_set);
  if (!CHECK(is_set != 0)) return;
  CHECK(any_mpi::kLargestTag <= *bound);
}

MPI_CASE("a handle has bits of its own, and comes back from them", 1, 8) {
  CHECK(any_mpi::bits_of(MPI_COMM_WORLD) != any_mpi::bits_of(MPI_COMM_SELF));
  CHECK(any_mpi::handle_of<MPI_Comm>(any_mpi::bits_of<MPI_Comm>(MPI_COMM_SELF)) == MPI_COMM_SELF);
  CHECK(any_mpi::handle_of<MPI_Request>(any_mpi::bits_of<MPI_Request>(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
}

}  // namespace
}  // namespace starling::tests
