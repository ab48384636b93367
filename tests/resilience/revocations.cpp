// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// Nobody dies, and communicators are made, used, revoked in the midst of it, and freed, again and again; then all
// finalize:
//   mpiexec --survive -n P resilience_revocations TIMES SEED [world]
//
// Each round a member or several revoke while the others are in some call, not always the same, whose error is
// MPIX_ERR_REVOKED if it has one. Then they shrink, agree or part without a word. Exit status of a rank: 1 after a
// wrong result or another error. world: one rank revokes MPI_COMM_WORLD at the end, and MPI_Finalize succeeds all the
// same.
#include <mpi-ext.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <vector>

namespace {

constexpr int kLong = 20000;  ///< doubles, for messages that are announced
int wrong = 0;

struct Round {
  MPI_Comm comm;
  int rank;
  int size;
  std::uint64_t draw;  ///< the same on every rank
  int index;

  [[nodiscard]] int after() const { return (rank + 1) % size; }
  [[nodiscard]] int before() const { return (rank + size - 1) % size; }
};

std::vector<double>& out() {
  static std::vector<double> buffer(16 * kLong);
  return buffer;
}
std::vector<double>& in() {
  static std::vector<double> buffer(16 * kLong);
  return buffer;
}

int barrier(const Round& r) { return MPI_Barrier(r.comm); }
int reduce(const Round& r) { return MPI_Allreduce(out().data(), in().data(), kLong, MPI_DOUBLE, MPI_SUM, r.comm); }
int bcast(const Round& r) { return MPI_Bcast(out().data(), kLong, MPI_DOUBLE, r.index % r.size, r.comm); }
int alltoall(const Round& r) {
  return MPI_Alltoall(out().data(), 10000, MPI_DOUBLE, in().data(), 10000, MPI_DOUBLE, r.comm);
}
int from_anybody(const Round& r) {
  return MPI_Recv(in().data(), 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, r.comm, MPI_STATUS_IGNORE);
}
int synchronous(const Round& r) { return MPI_Ssend(out().data(), 10, MPI_DOUBLE, r.after(), 0, r.comm); }
int ring(const Round& r) {
  return MPI_Sendrecv(out().data(), kLong, MPI_DOUBLE, r.after(), 0, in().data(), kLong, MPI_DOUBLE, r.before(), 0,
                      r.comm, MPI_STATUS_IGNORE);
}
/// Long messages that nobody receives and nobody waits for, contiguous and not, and short ones before them.
int let_go(const Round& r) {
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_vector(kLong / 2, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_commit(&every_other);
  int code = MPI_SUCCESS;
  for (int i = 0; i < 3 && code == MPI_SUCCESS; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (i == 0) code = MPI_Issend(out().data(), 10, MPI_DOUBLE, r.after(), 0, r.comm, &request);
    if (i == 1) code = MPI_Isend(out().data(), kLong, MPI_DOUBLE, r.after(), 0, r.comm, &request);
    if (i == 2) code = MPI_Isend(out().data(), 1, every_other, r.after(), 0, r.comm, &request);
    if (code == MPI_SUCCESS) MPI_Request_free(&request);
  }
  MPI_Type_free(&every_other);
  return code;
}
/// The receiver cannot copy by itself and has to ask for the data.
int scattered(const Round& r) {
  MPI_Datatype every_other = MPI_DATATYPE_NULL;
  MPI_Type_vector(kLong / 2, 1, 2, MPI_DOUBLE, &every_other);
  MPI_Type_commit(&every_other);
  const int code = MPI_Sendrecv(out().data(), kLong / 2, MPI_DOUBLE, r.after(), 0, in().data(), 1, every_other,
                                r.before(), 0, r.comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_other);
  return code;
}
int two_requests(const Round& r) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int code = MPI_Ibarrier(r.comm, &requests[0]);
  if (code == MPI_SUCCESS) {
    code = MPI_Iallreduce(out().data(), in().data(), kLong, MPI_DOUBLE, MPI_SUM, r.comm, &requests[1]);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return code;
}

using Use = int (*)(const Round&);
constexpr Use kUses[] = {barrier, reduce, bcast,  alltoall,  from_anybody, synchronous,
                         ring,    let_go, let_go, scattered, two_requests};

void expect_revoked(const Round& r, const char* what, int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  if (code == MPI_SUCCESS || error_class == MPIX_ERR_REVOKED) return;
  std::fprintf(stderr, "round %d, rank %d: %s ends with class %d\n", r.index, r.rank, what, error_class);
  wrong = 1;
}

MPI_Comm make(const Round& r) {
  MPI_Comm made = MPI_COMM_NULL;
  if (r.draw / 64 % 3 == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, r.rank % 2, r.rank, &made);
  } else {
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
  }
  return made;
}

void use_and_revoke(const Round& r) {
  const int revokers = r.draw / 1024 % 4 == 0 ? r.size / 2 : 1;
  const bool revokes = (r.rank + r.index) % r.size < revokers;
  // All use it alike, or half of them wait for what does not come.
  const bool waits = r.draw / 4096 % 2 == 0 && r.rank % 2 == 0;
  const Use use = waits ? from_anybody : kUses[r.draw / 8192 % std::size(kUses)];
  if (!revokes) expect_revoked(r, "a call", use(r));
  if (revokes && MPIX_Comm_revoke(r.comm) != MPI_SUCCESS) wrong = 1;
}

void part(const Round& r, MPI_Comm* comm) {
  const std::uint64_t how = r.draw / 256 % 4;
  if (how < 2) {
    MPI_Comm left = MPI_COMM_NULL;
    int size = 0;
    if (MPIX_Comm_shrink(r.comm, &left) != MPI_SUCCESS) wrong = 1;
    MPI_Comm_size(left, &size);
    if (size != r.size || MPI_Barrier(left) != MPI_SUCCESS) wrong = 1;
    MPI_Comm_free(&left);
  } else if (how == 2) {
    int flag = 1;
    if (MPIX_Comm_agree(r.comm, &flag) != MPI_SUCCESS || flag != 1) wrong = 1;
  }
  MPI_Comm_free(comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  Round r{MPI_COMM_WORLD, 0, 0, 0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  const int times = argc > 1 ? std::atoi(argv[1]) : 100;
  for (r.index = 0; r.index < times; ++r.index) {
    r.draw = random();
    MPI_Comm comm = make(r);
    Round inner = r;
    inner.comm = comm;
    MPI_Comm_rank(comm, &inner.rank);
    MPI_Comm_size(comm, &inner.size);
    use_and_revoke(inner);
    part(inner, &comm);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // all have made their last communicator from it
  if (argc > 3 && r.rank == 1) MPIX_Comm_revoke(MPI_COMM_WORLD);
  if (MPI_Finalize() != MPI_SUCCESS) wrong = 1;
  return wrong;
}
