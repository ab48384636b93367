// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// What a collective call sends and where it receives may not overlap (MPI-5.0, 2.5.2 and 6.2). Each mistake is noticed
// before anything is sent, on the rank that makes it.
#include <vector>

#include "support/errors.hpp"
#include "support/mpi_cases.hpp"

namespace starling::tests {
namespace {

/// A communicator of this rank alone, so that no mistake leaves other ranks waiting.
class Alone {
 public:
  Alone() { MPI_Comm_dup(MPI_COMM_SELF, &comm_); }
  ~Alone() { MPI_Comm_free(&comm_); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  operator MPI_Comm() const { return comm_; }  // NOLINT(google-explicit-constructor)

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

MPI_CASE("what a collective sends and receives may not overlap", 1, 4) {
  const ReturnErrors quiet;
  const Alone comm;
  std::vector<int> data(8, world.rank);
  int* at = data.data();
  const int counts[] = {4};
  const int displs[] = {0};
  const MPI_Datatype types[] = {MPI_INT};
  const std::vector<int> codes = {
      MPI_Reduce_local(at, at + 1, 4, MPI_INT, MPI_SUM),
      MPI_Allreduce(at, at, 4, MPI_INT, MPI_SUM, comm),
      MPI_Reduce(at, at + 3, 4, MPI_INT, MPI_SUM, 0, comm),
      MPI_Scan(at, at, 4, MPI_INT, MPI_SUM, comm),
      MPI_Exscan(at, at, 4, MPI_INT, MPI_SUM, comm),
      MPI_Reduce_scatter(at, at, counts, MPI_INT, MPI_SUM, comm),
      MPI_Reduce_scatter_block(at + 3, at, 4, MPI_INT, MPI_SUM, comm),
      MPI_Gather(at, 4, MPI_INT, at, 4, MPI_INT, 0, comm),
      MPI_Gatherv(at, 4, MPI_INT, at, counts, displs, MPI_INT, 0, comm),
      MPI_Scatter(at, 4, MPI_INT, at, 4, MPI_INT, 0, comm),
      MPI_Scatterv(at, counts, displs, MPI_INT, at + 1, 4, MPI_INT, 0, comm),
      MPI_Allgather(at + 1, 4, MPI_INT, at, 4, MPI_INT, comm),
      MPI_Allgatherv(at, 4, MPI_INT, at, counts, displs, MPI_INT, comm),
      MPI_Alltoall(at, 4, MPI_INT, at, 4, MPI_INT, comm),
      MPI_Alltoallv(at, counts, displs, MPI_INT, at, counts, displs, MPI_INT, comm),
      MPI_Alltoallw(at, counts, displs, types, at, counts, displs, types, comm),
  };
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (class_of(codes[i]) != MPI_ERR_BUFFER) FAIL("mistake " + std::to_string(i) + ": " + text_of(codes[i]));
  }
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(class_of(MPI_Iallreduce(at, at, 4, MPI_INT, MPI_SUM, comm, &request)), MPI_ERR_BUFFER);
}

MPI_CASE("blocks side by side and vectors that are woven do not overlap", 1, 4) {
  std::vector<int> data{0, 1, 2, 3, 4, 5, 6, 7};
  int* at = data.data();
  MPI_Allreduce(at, at + 4, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  CHECK_EQ(data[7], 3);
  MPI_Allreduce(at, at, 0, MPI_INT, MPI_SUM, MPI_COMM_SELF);

  MPI_Datatype every_second = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Allgather(at, 1, every_second, at + 1, 1, every_second, MPI_COMM_SELF);
  CHECK_EQ(data[1], data[0]);
  CHECK_EQ(data[7], data[6]);
  MPI_Type_free(&every_second);

  // Each rank's own block of the result lies behind those of lower ranks.
  std::vector<int> all(static_cast<std::size_t>(world.size) + 1);
  all.back() = world.rank;
  MPI_Allgather(&all.back(), 1, MPI_INT, all.data(), 1, MPI_INT, world.comm);
  for (int rank = 0; rank < world.size; ++rank) CHECK_EQ(all[static_cast<std::size_t>(rank)], rank);
}

}  // namespace
}  // namespace starling::tests
